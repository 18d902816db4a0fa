// The state in a cluster: informers of both kinds of ours, of the EndpointSlices of agents' Services, of ServiceAccounts and
// of presets, in the gateway's namespace. It needs list and watch on these and nothing else. A broken watch leaves what was last known.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { kinds } from "../../crds/kinds.ts";
import { labels, ports } from "../../crds/names.ts";
import type { ClusterAccount } from "../../lib/auth/cluster-tokens.ts";
import { endpointSliceType, type Endpoint } from "../../lib/kube/endpoint-slice.ts";
import { createInformer, type Informer } from "../../lib/kube/informer.ts";
import type { KubeMetrics } from "../../lib/kube/metrics.ts";
import { objectKey } from "../../lib/kube/object.ts";
import type { ReflectorTiming } from "../../lib/kube/reflector.ts";
import type { Transport } from "../../lib/kube/transport.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import { watching, type WatchedAgent, type WatchedInstance } from "../../plan/parse-watched.ts";
import { clusterAgentUrl } from "../../plan/urls.ts";
import { judgeAccount } from "./agent-account.ts";
import { Changes } from "./changes.ts";
import { configMapType, parsePreset, presetLabel, readPresets, type PresetMap, type PresetSource } from "./presets.ts";
import type { StateSource } from "./state.ts";
import {
  parseAccount,
  parseSlice,
  serviceAccountType,
  type WatchedAccount,
  type WatchedSlice,
} from "./watched-objects.ts";

export interface ClusterStateOptions {
  transport: Transport;
  namespace: string;
  instance: string;
  log: Logger;
  metrics?: Pick<KubeMetrics, "watchRefused">;
  timing?: Partial<ReflectorTiming>;
}

export function createClusterState(options: ClusterStateOptions): StateSource {
  return new ClusterState(options);
}

const byAgent = "agent";
const renderAdminUrl = ({ host }: Endpoint): string => `http://${host}:${ports.agentAdmin}`;
const inSlices = ({ agent }: WatchedSlice): string[] => (agent === undefined ? [] : [agent]);

class ClusterState implements StateSource {
  readonly namespace: string;
  readonly instance: string;
  readonly presets: PresetSource;
  readonly #instances: Informer<WatchedInstance>;
  readonly #agents: Informer<WatchedAgent>;
  readonly #slices: Informer<WatchedSlice, typeof byAgent>;
  readonly #accounts: Informer<WatchedAccount>;
  readonly #presets: Informer<PresetMap>;
  readonly #changes = new Changes();
  /** Made when it is asked for, until an agent changes. */
  #listed: readonly PallasAgent[] | undefined;

  constructor({ transport, namespace, instance, log, timing, metrics }: ClusterStateOptions) {
    this.namespace = namespace;
    this.instance = instance;
    const common = {
      transport,
      namespaces: [namespace],
      log: log.child({ logger: "pallas.gateway.watch" }),
      ...defined({ timing, metrics }),
    };
    this.#instances = createInformer<WatchedInstance>({ ...common, ...watching(kinds.PallasInstance), indexes: {} });
    this.#agents = createInformer<WatchedAgent>({ ...common, ...watching(kinds.PallasAgent), indexes: {} });
    this.#slices = createInformer<WatchedSlice, typeof byAgent>({
      ...common,
      type: endpointSliceType,
      labelSelector: `${labels.component}=agent,${labels.instance}=${instance}`,
      parse: parseSlice,
      indexes: { [byAgent]: inSlices },
    });
    this.#accounts = createInformer<WatchedAccount>({
      ...common,
      type: serviceAccountType,
      parse: parseAccount,
      indexes: {},
    });
    this.#presets = createInformer<PresetMap>({
      ...common,
      type: configMapType,
      labelSelector: presetLabel,
      parse: parsePreset,
      indexes: {},
    });
    this.presets = readPresets(this.#presets.store);
    this.#listen();
  }

  getInstance(): PallasInstance | undefined {
    const found = this.#instances.store.get(objectKey(this.namespace, this.instance));
    return found?.parsed.ok === true ? found.parsed.value : undefined;
  }

  listAgents(): readonly PallasAgent[] {
    return (this.#listed ??= this.#agents.store
      .list()
      .flatMap((agent) => this.#ownOf(agent) ?? [])
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)));
  }

  getAgent(name: string): PallasAgent | undefined {
    const found = this.#agents.store.get(objectKey(this.namespace, name));
    return found && this.#ownOf(found);
  }

  getEndpoint(name: string): { mcpUrl: string; adminUrl: string } | undefined {
    if (this.getAgent(name) === undefined) return undefined;
    const ready = this.#endpointsOf(name).find((endpoint) => endpoint.ready && !endpoint.terminating);
    if (ready === undefined) return undefined;
    return { mcpUrl: clusterAgentUrl(name, this.namespace), adminUrl: renderAdminUrl(ready) };
  }

  listAdminUrls(name: string): readonly string[] {
    if (this.getAgent(name) === undefined) return [];
    // A pod may be in two slices for a moment.
    return [...new Set(this.#endpointsOf(name).map(renderAdminUrl))];
  }

  onChange = this.#changes.onChange.bind(this.#changes);

  observeUnready(): string | undefined {
    const missing = this.#informers().filter(({ hasSynced }) => !hasSynced);
    if (missing.length === 0) return undefined;
    return `not read yet: ${missing.map(({ type }) => type.plural).join(", ")}`;
  }

  findAgent(account: ClusterAccount) {
    return judgeAccount(account, {
      findAccount: (name) => this.#accounts.store.get(objectKey(this.namespace, name)),
      findAgent: (name) => {
        const agent = this.#agents.store.get(objectKey(this.namespace, name));
        return agent && this.#ownOf(agent) && agent.metadata;
      },
      podsOf: (agent) => this.#endpointsOf(agent).flatMap(({ podUid }) => podUid ?? []),
    });
  }

  start(): void {
    for (const informer of this.#informers()) informer.start();
  }

  async stop(): Promise<void> {
    this.#changes.stop();
    await Promise.all(this.#informers().map((informer) => informer.stop()));
  }

  #informers() {
    return [this.#instances, this.#agents, this.#slices, this.#accounts, this.#presets];
  }

  #ownOf({ parsed }: WatchedAgent): PallasAgent | undefined {
    return parsed.ok && parsed.value.spec.instanceRef.name === this.instance ? parsed.value : undefined;
  }

  #endpointsOf(agent: string): Endpoint[] {
    return this.#slices.store.byIndex(byAgent, agent).flatMap(({ endpoints }) => endpoints);
  }

  #listen(): void {
    this.#instances.store.onChange((change) => {
      const { name } = ("object" in change ? change.object : change.previous).metadata;
      if (name === this.instance) this.#changes.addInstance();
    });
    this.#agents.store.onChange((change) => {
      this.#listed = undefined;
      // Before or after: one that is no longer of this instance went away.
      const forms = [
        "object" in change ? change.object : undefined,
        "previous" in change ? change.previous : undefined,
      ];
      const own = forms.find((agent) => agent !== undefined && this.#ownOf(agent) !== undefined);
      if (own !== undefined) this.#changes.addAgent(own.metadata.name);
    });
    this.#slices.store.onChange((change) => {
      const { agent } = "object" in change ? change.object : change.previous;
      if (agent !== undefined) this.#changes.addAgent(agent);
    });
  }
}
