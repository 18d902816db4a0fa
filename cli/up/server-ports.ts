// Which port the bridge of each tool server listens on. Nobody names one, and only programs of this run call it: so each
// keeps what it had, also from the run before, and gives way to whoever holds a port or names it.
import { ports } from "../../crds/names.ts";

/** From the registry's: behind those that agents and gateways get. */
const distance = 2 * (ports.gateway - ports.registry);
const lastPort = 65_535;

export interface ServerPortWishes {
  /** Of the servers that have a bridge. */
  keys: Iterable<string>;
  registryPort: number;
  /** That manifests name for others. */
  named: ReadonlySet<number>;
  /** In this run, where they are held by the bridges themselves. */
  held: ReadonlyMap<string, number>;
  /** In the run before. */
  remembered: ReadonlyMap<string, number>;
  /** Whether nobody listens there now. */
  isFree(port: number): Promise<boolean>;
}

/** By key; a server for which none is left has none. */
export async function chooseServerPorts(wishes: ServerPortWishes): Promise<Map<string, number>> {
  const { registryPort, named, held, remembered, isFree } = wishes;
  const keys = [...wishes.keys].toSorted();
  const chosen = new Map<string, number>();
  const taken = new Set([registryPort, ...named]);
  const give = (key: string, port: number): void => {
    chosen.set(key, port);
    taken.add(port);
  };
  for (const key of keys) {
    const port = held.get(key);
    if (port !== undefined && !taken.has(port)) give(key, port);
  }
  for (const key of keys) {
    const port = remembered.get(key);
    if (port !== undefined && !chosen.has(key) && !taken.has(port) && (await isFree(port))) give(key, port);
  }
  let next = registryPort + distance;
  for (const key of keys) {
    if (chosen.has(key)) continue;
    while (next <= lastPort && (taken.has(next) || !(await isFree(next)))) next += 1;
    if (next <= lastPort) give(key, next);
  }
  return chosen;
}
