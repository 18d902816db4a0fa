// Which agent gets which port: its own spec.port, else the first free one after the registry's. Pure; whether another
// program holds a port is found out when an agent starts.

export interface PortWish {
  /** namespace/name */
  key: string;
  /** spec.port */
  port?: number;
}

export interface PortPlan {
  ports: Map<string, number>;
  /** Agents that got none, and why. */
  refused: { key: string; message: string }[];
}

const lastPort = 65_535;

/**
 * Assigns ports in the order of the keys. An agent keeps the port it had before, so that an edit elsewhere does not
 * move it.
 */
export function assignPorts(
  wishes: readonly PortWish[],
  {
    registryPort,
    previous,
    taken = [],
  }: {
    registryPort: number;
    previous: ReadonlyMap<string, number>;
    /** By tool servers, which have none that an agent names. */
    taken?: Iterable<number>;
  },
): PortPlan {
  const plan: PortPlan = { ports: new Map(), refused: [] };
  const sorted = wishes.toSorted((a, b) => a.key.localeCompare(b.key));
  const holders = new Map([...taken].map((port) => [port, "a tool server"]));
  holders.set(registryPort, "the registry");
  const give = (key: string, port: number): void => {
    plan.ports.set(key, port);
    holders.set(port, `agent "${key}"`);
  };

  for (const { key, port } of sorted) {
    if (port === undefined) continue;
    const holder = holders.get(port);
    if (holder === undefined) give(key, port);
    else plan.refused.push({ key, message: `spec.port: ${port} is already the port of ${holder}; choose another` });
  }
  const unset = sorted.filter(({ port }) => port === undefined);
  for (const { key } of unset) {
    const before = previous.get(key);
    if (before !== undefined && !holders.has(before)) give(key, before);
  }
  let next = registryPort + 1;
  for (const { key } of unset) {
    if (plan.ports.has(key)) continue;
    while (holders.has(next)) next += 1;
    if (next <= lastPort) give(key, next);
    else plan.refused.push({ key, message: `no port is left after ${registryPort}; choose a lower --port` });
  }
  return plan;
}
