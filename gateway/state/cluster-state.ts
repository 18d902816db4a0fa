// The state in a cluster: informers of our kinds, of the EndpointSlices of the Services of agents and servers, of ServiceAccounts and
// of presets, in the gateway's namespace. It needs list and watch on these and nothing else. A broken watch leaves what was last known.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasApproval } from "../../crds/approval.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { kinds } from "../../crds/kinds.ts";
import { labels, ports } from "../../crds/names.ts";
import type { PallasPolicy } from "../../crds/policy.ts";
import type { PallasRegistration } from "../../crds/registration.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { ClusterAccount } from "../../lib/auth/cluster-tokens.ts";
import { endpointSliceType, type Endpoint } from "../../lib/kube/endpoint-slice.ts";
import { createInformer, type Informer } from "../../lib/kube/informer.ts";
import type { KubeMetrics } from "../../lib/kube/metrics.ts";
import { objectKey } from "../../lib/kube/object.ts";
import type { ReflectorTiming } from "../../lib/kube/reflector.ts";
import type { Transport } from "../../lib/kube/transport.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import { watching, type Watched, type WatchedAgent, type WatchedInstance } from "../../plan/parse-watched.ts";
import { policySourceOf, type PolicySource } from "../../plan/policy-in-force.ts";
import { serverNameOf } from "../../plan/server.ts";
import { clusterAgentUrl } from "../../plan/urls.ts";
import { judgeAccount } from "./agent-account.ts";
import { Changes } from "./changes.ts";
import { configMapType, parsePreset, presetLabel, readPresets, type PresetMap, type PresetSource } from "./presets.ts";
import { collectServers, findAddress, type KnownServer, type ServerSet } from "./servers.ts";
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
const byServer = "server";
const renderAdminUrl = ({ host }: Endpoint): string => `http://${host}:${ports.agentAdmin}`;
const renderBridgeUrl = ({ host }: Endpoint): string => `http://${host}:${ports.bridgeAdmin}`;
const known = (name: string | undefined): string[] => (name === undefined ? [] : [name]);

class ClusterState implements StateSource {
  readonly namespace: string;
  readonly instance: string;
  readonly presets: PresetSource;
  readonly #instances: Informer<WatchedInstance>;
  readonly #agents: Informer<WatchedAgent>;
  readonly #slices: Informer<WatchedSlice, typeof byAgent | typeof byServer>;
  readonly #accounts: Informer<WatchedAccount>;
  readonly #presets: Informer<PresetMap>;
  readonly #servers: Informer<Watched<PallasServer>>;
  readonly #registrations: Informer<Watched<PallasRegistration>>;
  readonly #policies: Informer<Watched<PallasPolicy>>;
  readonly #approvals: Informer<Watched<PallasApproval>>;
  readonly #changes = new Changes();
  /** Made when they are asked for, until one changes. */
  #listed: readonly PallasAgent[] | undefined;
  #listedServers: ServerSet | undefined;
  #listedRegistrations: readonly PallasRegistration[] | undefined;
  #listedPolicies: readonly PallasPolicy[] | undefined;
  #listedApprovals: readonly PallasApproval[] | undefined;

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
    this.#servers = createInformer<Watched<PallasServer>>({ ...common, ...watching(kinds.PallasServer), indexes: {} });
    this.#registrations = createInformer<Watched<PallasRegistration>>({
      ...common,
      ...watching(kinds.PallasRegistration),
      indexes: {},
    });
    this.#policies = createInformer<Watched<PallasPolicy>>({ ...common, ...watching(kinds.PallasPolicy), indexes: {} });
    this.#approvals = createInformer<Watched<PallasApproval>>({
      ...common,
      ...watching(kinds.PallasApproval),
      // What another instance asks may be much.
      labelSelector: `${labels.instance}=${instance}`,
      indexes: {},
    });
    this.#slices = createInformer<WatchedSlice, typeof byAgent | typeof byServer>({
      ...common,
      type: endpointSliceType,
      labelSelector: `${labels.component},${labels.instance}=${instance}`,
      parse: parseSlice,
      indexes: { [byAgent]: ({ agent }) => known(agent), [byServer]: ({ server }) => known(server) },
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
    return (this.#listed ??= this.#listOwn(this.#agents));
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

  listServers(): readonly KnownServer[] {
    return this.#serverSet().list;
  }

  getServer(name: string): KnownServer | undefined {
    return this.#serverSet().get(name);
  }

  getServerAddress(name: string) {
    const server = this.getServer(name);
    return server && findAddress(server);
  }

  listServerAdminUrls(name: string): readonly string[] {
    const endpoints = this.#slices.store.byIndex(byServer, name).flatMap((slice) => slice.endpoints);
    return [...new Set(endpoints.map(renderBridgeUrl))];
  }

  listRegistrations(): readonly PallasRegistration[] {
    return (this.#listedRegistrations ??= this.#listOwn(this.#registrations));
  }

  listPolicies(): readonly PallasPolicy[] {
    return (this.#listedPolicies ??= this.#listOwn(this.#policies));
  }

  getPolicy(name: string): PallasPolicy | undefined {
    const found = this.#policies.store.get(objectKey(this.namespace, name));
    return found && this.#ownOf(found);
  }

  getPolicySource(name: string): PolicySource | undefined {
    const found = this.#policies.store.get(objectKey(this.namespace, name));
    if (found === undefined) return undefined;
    // Which instance an unreadable one belongs to cannot be told.
    return found.parsed.ok ? this.#ownOf(found) : policySourceOf(found);
  }

  listApprovals(): readonly PallasApproval[] {
    return (this.#listedApprovals ??= this.#listOwn(this.#approvals));
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
    return [
      this.#instances,
      this.#agents,
      this.#servers,
      this.#registrations,
      this.#policies,
      this.#approvals,
      this.#slices,
      this.#accounts,
      this.#presets,
    ];
  }

  #serverSet(): ServerSet {
    return (this.#listedServers ??= collectServers(this.getInstance(), this.#listOwn(this.#servers)));
  }

  #ownOf<Own extends OfInstance>({ parsed }: Watched<Own>): Own | undefined {
    return parsed.ok && parsed.value.spec.instanceRef.name === this.instance ? parsed.value : undefined;
  }

  #listOwn<Own extends OfInstance>({ store }: Informer<Watched<Own>>): Own[] {
    return store
      .list()
      .flatMap((each) => this.#ownOf(each) ?? [])
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  #endpointsOf(agent: string): Endpoint[] {
    return this.#slices.store.byIndex(byAgent, agent).flatMap(({ endpoints }) => endpoints);
  }

  #listen(): void {
    this.#instances.store.onChange((change) => {
      const forms = formsOf(change);
      if (forms[0]?.metadata.name !== this.instance) return;
      this.#listedServers = undefined;
      this.#changes.addInstance();
      const inline = forms.map(({ parsed }) => (parsed.ok ? parsed.value.spec.servers : undefined) ?? []);
      for (const name of findChanged(inline)) this.#changes.add("servers", name);
    });
    this.#listenTo(this.#agents, (agent) => {
      this.#listed = undefined;
      if (agent !== undefined) this.#changes.add("agents", agent.metadata.name);
    });
    this.#listenTo(this.#servers, (server) => {
      this.#listedServers = undefined;
      if (server !== undefined) this.#changes.add("servers", serverNameOf(server));
    });
    this.#listenTo(this.#registrations, (registration) => {
      this.#listedRegistrations = undefined;
      if (registration !== undefined) this.#changes.add("registrations", registration.metadata.name);
    });
    this.#listenTo(this.#policies, (policy) => {
      this.#listedPolicies = undefined;
      if (policy !== undefined) this.#changes.add("policies", policy.metadata.name);
    });
    this.#listenTo(this.#approvals, (approval) => {
      this.#listedApprovals = undefined;
      if (approval !== undefined) this.#changes.add("approvals", approval.metadata.name);
    });
    this.#slices.store.onChange((change) => {
      const { agent } = "object" in change ? change.object : change.previous;
      if (agent !== undefined) this.#changes.add("agents", agent);
    });
  }

  /** `hear` gets each form of a change, before and after, that is of this instance: one that no longer is went away. */
  #listenTo<Own extends OfInstance>({ store }: Informer<Watched<Own>>, hear: (own: Own | undefined) => void): void {
    store.onChange((change) => {
      for (const each of formsOf(change)) hear(this.#ownOf(each));
    });
  }
}

interface OfInstance {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly instanceRef: { readonly name: string } };
  readonly status?: unknown;
}

function formsOf<Form extends object>(
  change: { object: Form; previous?: Form | undefined } | { previous: Form },
): Form[] {
  const forms = ["object" in change ? change.object : undefined, change.previous];
  return forms.filter((form) => form !== undefined);
}

/** Names of entries that are not the same in all lists. */
function findChanged(lists: readonly (readonly { name: string }[])[]): string[] {
  const names = new Set(lists.flatMap((list) => list.map(({ name }) => name)));
  const textsOf = (name: string) => lists.map((list) => JSON.stringify(list.find((each) => each.name === name)));
  return [...names].filter((name) => lists.length < 2 || new Set(textsOf(name)).size > 1);
}
