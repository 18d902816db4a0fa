// Many agents applied as fast as a few connections can, until the status of every one of them is current.
// Who writes children and statuses is the caller's: the operator on its own, or the bare client agent by agent.
import { setTimeout as delay } from "node:timers/promises";
import type { ApiObject, BareClient } from "./bare-client.ts";
import { agentsPath, agentWrite, childWrites, statusWrite, withOwner } from "./fleet.ts";

/** As many as the operator has workers. */
const lanes = 8;
const stallTimeoutMs = 120_000;

/** Runs at most `lanes` at once, in the order of their arrival. `failed` rejects with the first failure. */
class Lanes {
  /** How long each had to wait. */
  readonly waitedSeconds: number[] = [];
  readonly #waiting: { readonly work: () => Promise<void>; readonly addedAt: number }[] = [];
  readonly #failure = Promise.withResolvers<never>();
  #running = 0;

  constructor() {
    this.#failure.promise.catch(() => undefined); // told to whoever races `failed`
  }

  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  add(work: () => Promise<void>): void {
    this.#waiting.push({ work, addedAt: performance.now() });
    this.#next();
  }

  #next(): void {
    const next = this.#running < lanes ? this.#waiting.shift() : undefined;
    if (next === undefined) return;
    this.#running += 1;
    this.waitedSeconds.push((performance.now() - next.addedAt) / 1_000);
    next
      .work()
      .catch(this.#failure.reject)
      .finally(() => {
        this.#running -= 1;
        this.#next();
      });
  }
}

export interface BurstOptions {
  readonly namespace: string;
  readonly names: readonly string[];
  /** Called with each agent as the server has answered it, at most `lanes` at once. */
  readonly follow?: (agent: ApiObject) => Promise<void>;
}

export interface Burst {
  /** From the first apply until every agent's status is that of its generation. */
  readonly seconds: number;
  /** How long each agent waited until `follow` was called. */
  readonly waitedSeconds: readonly number[];
}

export async function burst(client: BareClient, { namespace, names, follow }: BurstOptions): Promise<Burst> {
  const writes = names.map((name) => agentWrite(namespace, name));
  const waiting = new Set(names);
  const finished = Promise.withResolvers<void>();
  let lastProgressAt = performance.now();
  await using watch = await client.watch(agentsPath(namespace), ({ metadata, status }) => {
    if (metadata.generation !== status?.observedGeneration) return;
    if (!waiting.delete(metadata.name)) return;
    lastProgressAt = performance.now();
    if (waiting.size === 0) finished.resolve();
  });
  const appliers = new Lanes();
  const followers = new Lanes();

  const startedAt = performance.now();
  for (const { path, body } of writes) {
    appliers.add(async () => {
      const agent = await client.apply(path, body);
      if (follow) followers.add(() => follow(agent));
    });
  }
  const ended = new AbortController();
  const failOnStall = async (): Promise<never> => {
    while (performance.now() - lastProgressAt < stallTimeoutMs) await delay(1_000, undefined, { signal: ended.signal });
    throw new Error(`expected a current status of all agents, found ${waiting.size} without, for ${stallTimeoutMs} ms`);
  };
  try {
    await Promise.race([finished.promise, appliers.failed, followers.failed, watch.broken, failOnStall()]);
  } finally {
    ended.abort();
  }
  return { seconds: (performance.now() - startedAt) / 1_000, waitedSeconds: followers.waitedSeconds };
}

/** The burst with nothing but the writes themselves: what the operator's time is a ratio of. */
export async function bareBurst(client: BareClient, namespace: string, names: readonly string[]): Promise<Burst> {
  const prepared = new Map(
    names.map((name) => [name, { children: childWrites(namespace, name), status: statusWrite(namespace, name) }]),
  );
  return burst(client, {
    namespace,
    names,
    async follow({ metadata: { name, uid } }) {
      const { children = [], status } = prepared.get(name) ?? {};
      for (const child of children) {
        const { path, body } = withOwner(child, uid);
        await client.apply(path, body);
      }
      if (status) await client.apply(status.path, status.body);
    },
  });
}
