// The source in a cluster: informers of instances, agents and tool servers, and of the EndpointSlices of agents' Services. It
// needs list and watch on these four and nothing else. A broken watch leaves the last known lists in place, and is told of only
// when it does not resume within seconds: it then goes on where it was, and nothing was missed.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { kinds } from "../../crds/kinds.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import type { PallasServer } from "../../crds/server.ts";
import { labels } from "../../crds/names.ts";
import { endpointSliceType } from "../../lib/kube/endpoint-slice.ts";
import { createInformer, type Informer } from "../../lib/kube/informer.ts";
import { keyOf, type LiveObject } from "../../lib/kube/object.ts";
import type { ReflectorTiming } from "../../lib/kube/reflector.ts";
import type { Transport } from "../../lib/kube/transport.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ValidationError } from "../../plan/validation-error.ts";
import { watching, type WatchedAgent, type WatchedInstance, type WatchedServer } from "../../plan/parse-watched.ts";
import { parseWatchedSlice, type WatchedSlice } from "./slices.ts";
import { Listeners, onePerPod, type ResourceSource, type SourceState } from "./source.ts";

export interface WatchSourceOptions {
  transport: Transport;
  /** undefined: the whole cluster. */
  namespace: string | undefined;
  /** Names of the instances to serve; undefined: all. */
  instances: readonly string[] | undefined;
  log: Logger;
  timing?: Partial<ReflectorTiming>;
  /** How often the state of the watches is looked at; nothing tells of its changes. */
  stateCheckMs?: number;
  /** How long a watch may be interrupted before what is known counts as behind. */
  interruptionMs?: number;
}

/** Above the pause after a first failure, and well below what somebody who reads an old catalogue would mind. */
const defaultInterruptionMs = 5_000;

export function createWatchSource(options: WatchSourceOptions): ResourceSource {
  return new WatchSource(options);
}

class WatchSource implements ResourceSource {
  readonly #instanceNames: ReadonlySet<string> | undefined;
  readonly #agents: Informer<WatchedAgent>;
  readonly #instances: Informer<WatchedInstance>;
  /** What the catalogue is made of is complete without them. */
  readonly #servers: Informer<WatchedServer>;
  readonly #slices: Informer<WatchedSlice>;
  readonly #listeners = new Listeners();
  readonly #stateCheckMs: number;
  readonly #interruptionMs: number;
  readonly #known: Known;
  #timer: NodeJS.Timeout | undefined;
  #announcing: NodeJS.Immediate | undefined;
  #phases = "";

  constructor({ transport, namespace, instances, log, timing, ...options }: WatchSourceOptions) {
    this.#instanceNames = instances && new Set(instances);
    this.#stateCheckMs = options.stateCheckMs ?? 500;
    this.#interruptionMs = options.interruptionMs ?? defaultInterruptionMs;
    const common = {
      transport,
      namespaces: namespace === undefined ? undefined : [namespace],
      indexes: {},
      log: log.child({ logger: "pallas.registry.watch" }),
      ...defined({ timing }),
    };
    this.#agents = createInformer<WatchedAgent>({
      ...common,
      ...watching(kinds.PallasAgent),
    });
    this.#instances = createInformer<WatchedInstance>({
      ...common,
      ...watching(kinds.PallasInstance),
    });
    this.#servers = createInformer<WatchedServer>({
      ...common,
      ...watching(kinds.PallasServer),
    });
    this.#slices = createInformer<WatchedSlice>({
      ...common,
      type: endpointSliceType,
      labelSelector: renderSelector(instances),
      parse: parseWatchedSlice,
    });
    const keep = <T extends LiveObject, R>(informer: Informer<T>, derive: (objects: T[]) => R[]) =>
      keepList(informer, derive, () => this.#announce());
    this.#known = {
      instances: keep(this.#instances, (objects) =>
        objects.flatMap(({ parsed }) => (parsed.ok && this.#serves(parsed.value.metadata.name) ? [parsed.value] : [])),
      ),
      agents: keep(this.#agents, (objects) =>
        objects.flatMap(({ parsed }) =>
          parsed.ok && this.#serves(parsed.value.spec.instanceRef.name) ? [parsed.value] : [],
        ),
      ),
      servers: keep(this.#servers, (objects) =>
        objects.flatMap(({ parsed }) =>
          parsed.ok && this.#serves(parsed.value.spec.instanceRef.name) ? [parsed.value] : [],
        ),
      ),
      endpoints: keep(this.#slices, (objects) =>
        onePerPod(objects.flatMap(({ endpoints }) => endpoints).filter(({ instance }) => this.#serves(instance))),
      ),
    };
  }

  state = (): SourceState => worse(this.#stateOf(this.#agents), this.#stateOf(this.#instances));
  endpointState = (): SourceState => this.#stateOf(this.#slices);

  instances = () => this.#known.instances();
  agents = () => this.#known.agents();
  servers = () => this.#known.servers();
  endpoints = () => this.#known.endpoints();

  /** Whose instance a faulty agent is of may be the very thing that cannot be read, so all are told. */
  unreadable(): string[] {
    const objects = [this.#instances, this.#agents, this.#servers].flatMap<Watched>(({ store }) => store.list());
    return objects.flatMap((object) =>
      object.parsed.ok ? [] : [`${object.kind} ${keyOf(object)}: ${renderProblem(object.parsed.problems[0])}`],
    );
  }

  onChange = (listener: () => void) => this.#listeners.add(listener);

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#checkPhases(), this.#stateCheckMs);
    for (const informer of [this.#instances, this.#agents, this.#servers, this.#slices]) {
      informer.start();
      // An empty list brings no change.
      void informer.synced.then(() => this.#announce());
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearImmediate(this.#announcing);
    const informers = [this.#agents, this.#instances, this.#servers, this.#slices];
    await Promise.all(informers.map((informer) => informer.stop()));
  }

  #serves(instance: string): boolean {
    return this.#instanceNames?.has(instance) ?? true;
  }

  /** Complete from the first list on: the kernel says live only once the watch that follows is open. */
  #stateOf({ hasSynced, state }: Pick<Informer<never>, "hasSynced" | "state">): SourceState {
    const isListed = hasSynced && state.phase === "starting";
    const isResuming = state.phase === "degraded" && systemClock.now() - state.enteredAt < this.#interruptionMs;
    return isListed || isResuming ? { phase: "live", since: state.since } : state;
  }

  #checkPhases(): void {
    const phases = `${this.state().phase} ${this.endpointState().phase}`;
    if (phases === this.#phases) return;
    this.#phases = phases;
    this.#announce();
  }

  /** Once for all that a turn of the event loop brings: a first list is thousands of changes at once. */
  #announce(): void {
    this.#announcing ??= setImmediate(() => {
      this.#announcing = undefined;
      this.#listeners.notify();
    });
  }
}

interface Known {
  instances: () => readonly PallasInstance[];
  agents: () => readonly PallasAgent[];
  servers: () => readonly PallasServer[];
  endpoints: () => readonly AgentEndpoint[];
}

type Watched = WatchedAgent | WatchedInstance | WatchedServer;

/** A list made when it is asked for, and the same until the informer hears of a change. */
function keepList<T extends LiveObject, R>(
  { store }: Informer<T>,
  derive: (objects: T[]) => R[],
  onChange: () => void,
): () => readonly R[] {
  let kept: readonly R[] | undefined;
  store.onChange(() => {
    kept = undefined;
    onChange();
  });
  return () => (kept ??= derive(store.list()));
}

const badness = { live: 0, degraded: 1, starting: 2 } as const;
const worse = (a: SourceState, b: SourceState): SourceState => {
  if (badness[a.phase] !== badness[b.phase]) return badness[a.phase] > badness[b.phase] ? a : b;
  return a.since <= b.since ? a : b;
};

/** Without the problem's message, which quotes what was found: anyone may read this. */
const renderProblem = ({ reason, path }: ValidationError): string => (path === "" ? reason : `${reason} at ${path}`);

/** Slices of the agents' Services only; the API server leaves out the rest. */
const renderSelector = (instances: readonly string[] | undefined): string =>
  [`${labels.component}=agent`, ...(instances ? [`${labels.instance} in (${instances.join(",")})`] : [])].join(",");
