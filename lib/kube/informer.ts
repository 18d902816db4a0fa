// A store together with the reflectors that fill it: one for the whole cluster, or one for each listed namespace.
import { JudgedObjects, type Judgements } from "./judged-objects.ts";
import type { KubeMetrics } from "./metrics.ts";
import type { LiveObject, RawObject } from "./object.ts";
import { Reflector, type ReflectorState, type ReflectorTiming } from "./reflector.ts";
import type { ResourceType } from "./resource.ts";
import { Store, type ReadStore } from "./store.ts";
import type { Transport } from "./transport.ts";
import type { Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";

export interface InformerOptions<T extends LiveObject, Index extends string> {
  readonly transport: Transport;
  readonly type: ResourceType;
  /** Absent: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string;
  /**
   * Gives a raw object its type, and may drop fields. Objects on which it throws are left as they were, and logged.
   * `previous` is what the store holds under its key, perhaps of another object of the same name.
   */
  readonly parse: (raw: RawObject, previous: T | undefined) => T;
  /** What is kept of an object once it is judged, with all of its metadata that is needed of any; absent: all. */
  readonly slim?: (object: T) => T;
  readonly indexes: Readonly<Record<Index, (object: T) => readonly string[]>>;
  readonly log: Logger;
  readonly metrics?: Pick<KubeMetrics, "watchRefused">;
  readonly clock?: Clock;
  readonly timing?: Partial<ReflectorTiming>;
  readonly pageSize?: number;
}

export interface Informer<T extends LiveObject, Index extends string = never> {
  readonly type: ResourceType;
  readonly store: ReadStore<T, Index>;
  /** For the applier; undefined without `slim`. */
  readonly judgements: Judgements<T> | undefined;
  /**
   * Every namespace is in the store, but for those that the server refuses to show: they are passed over for now, unless
   * nothing would be left.
   */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced`. Never rejects; stays open when stopped before that. */
  readonly synced: Promise<void>;
  /** Undefined once the first list of this namespace (of all, without one) is in the store; else resolves when it is. */
  ensureSynced(namespace: string | undefined): Promise<void> | undefined;
  /** The worst of its reflectors. */
  readonly state: ReflectorState;
  start(): void;
  /** After it resolves the store does not change any more. */
  stop(): Promise<void>;
}

export function createInformer<T extends LiveObject, Index extends string = never>(
  options: InformerOptions<T, Index>,
): Informer<T, Index> {
  const { namespaces, indexes, metrics, slim, ...common } = options;
  if (namespaces?.length === 0) {
    throw new Error(
      `an informer of ${options.type.plural} was given an empty list of namespaces; leave it out for all`,
    );
  }
  const store = new Store<T, Index>({
    indexes,
    onListenerError: (error, change) =>
      options.log.error({ kind: options.type.kind, change: change.type, err: error }, "change listener failed"),
  });
  const judged = slim && new JudgedObjects<T>(store, slim);
  const parse = (raw: RawObject, previous: T | undefined) => {
    const object = options.parse(raw, previous);
    return judged?.admit(object) ?? object;
  };
  const synced = Promise.withResolvers<void>();
  const hasSynced = () =>
    reflectors.every((reflector) => reflector.hasSynced || reflector.isRefused) &&
    reflectors.some((reflector) => reflector.hasSynced);
  const resolveWhenSynced = () => {
    if (hasSynced()) synced.resolve();
  };
  const scopes: readonly (string | undefined)[] = namespaces === undefined ? [undefined] : [...new Set(namespaces)];
  const reflectors = scopes.map((namespace) => {
    const tell = metrics?.watchRefused(options.type.kind, namespace);
    const onRefused = (refused: boolean) => {
      tell?.(refused);
      resolveWhenSynced();
    };
    const reflector = new Reflector<T>({ ...common, parse, namespace, target: store, onRefused });
    void reflector.synced.then(resolveWhenSynced);
    return reflector;
  });
  /** Those whose objects a reconcile in this namespace may read. */
  const concerned = (namespace: string | undefined) =>
    reflectors.filter((_, i) => namespace === undefined || scopes[i] === undefined || scopes[i] === namespace);
  return {
    type: options.type,
    store,
    judgements: judged,
    synced: synced.promise,
    get hasSynced() {
      return hasSynced();
    },
    ensureSynced(namespace) {
      const waiting = concerned(namespace).filter((reflector) => !reflector.hasSynced);
      if (waiting.length === 0) return undefined;
      return Promise.all(waiting.map((reflector) => reflector.synced)).then(() => undefined);
    },
    get state() {
      return worstOf(reflectors.map((reflector) => reflector.state));
    },
    start() {
      for (const reflector of reflectors) reflector.start();
    },
    async stop() {
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
    },
  };
}

const badness = { live: 0, degraded: 1, starting: 2 } as const;

function worstOf(states: readonly ReflectorState[]): ReflectorState {
  return states.reduce((worst, state) => (badness[state.phase] > badness[worst.phase] ? state : worst));
}
