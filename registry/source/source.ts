// What every surface of the registry stands on: the resources it serves and where their processes are, whoever tells
// it of them. Lists are as last known; `state` says whether they may be behind. Objects that did not change keep their
// identity from one answer to the next, and so does a list of which nothing changed, so that what is derived from them
// can be kept too.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";

export interface SourceState {
  /** starting: nothing complete was ever read. degraded: what is known may be behind. */
  readonly phase: "starting" | "live" | "degraded";
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Why it is not live. */
  readonly message?: string;
}

export interface ResourceSource {
  /** Of instances and agents: what the catalogue is made of. */
  state(): SourceState;
  /** Of the endpoints, which only metrics and health need. */
  endpointState(): SourceState;
  instances(): readonly PallasInstance[];
  /** Agents of the instances that are served, accepted or not. */
  agents(): readonly PallasAgent[];
  /** Tool servers of the instances that are served, accepted or not; none for as long as they cannot be read. */
  servers(): readonly PallasServer[];
  /** At most one per pod; pods that are not ready are among them. */
  endpoints(): readonly AgentEndpoint[];
  /** Resources left out because they do not parse: what they are, and where the first problem is. */
  unreadable(): readonly string[];
  /** Hears that anything above may have changed, once for what comes at once. Returns the way to stop. */
  onChange(listener: () => void): () => void;
  start(): void;
  stop(): Promise<void>;
}

/** Listeners that hear no details. One that throws is the caller's problem and not caught. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Two endpoints of one pod (an address per IP family) are one process; the first is kept. */
export function onePerPod(endpoints: readonly AgentEndpoint[]): AgentEndpoint[] {
  const pods = new Map<string, AgentEndpoint>();
  for (const endpoint of endpoints) {
    const key = podKey(endpoint);
    if (!pods.has(key)) pods.set(key, endpoint);
  }
  return [...pods.values()];
}

/** Kubernetes names hold no slash. */
export const podKey = ({ namespace, instance, agent, pod }: AgentEndpoint): string =>
  `${namespace}/${instance}/${agent}/${pod}`;

export const resourceKey = ({ metadata }: Pick<PallasAgent | PallasInstance | PallasServer, "metadata">): string =>
  `${metadata.namespace}/${metadata.name}`;

export const instanceKeyOf = ({ metadata, spec }: PallasAgent | PallasServer): string =>
  `${metadata.namespace}/${spec.instanceRef.name}`;
