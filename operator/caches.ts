// Every informer of the operator, made and started in one place: our kinds whole, children only where they carry
// our component label, so that memory grows with what is ours (I13).
import type { PallasAgent } from "../crds/agent.ts";
import { kinds } from "../crds/kinds.ts";
import { labels } from "../crds/names.ts";
import type { PallasServer } from "../crds/server.ts";
import { createInformer, type Informer } from "../lib/kube/informer.ts";
import type { KubeMetrics } from "../lib/kube/metrics.ts";
import { controllerOf, keyOf, objectKey, type LiveObject, type RawObject } from "../lib/kube/object.ts";
import type { Transport } from "../lib/kube/transport.ts";
import type { Logger } from "../lib/process/log.ts";
import { calledBy, dependenciesOf } from "../plan/order.ts";
import {
  watching,
  type WatchedAgent,
  type WatchedInstance,
  type WatchedPolicy,
  type WatchedServer,
} from "../plan/parse-watched.ts";
import { serverNameOf } from "../plan/server.ts";
import { childTypes, type ChildKind } from "./resources.ts";
import { slimChild } from "./slim-children.ts";

/** `server`: agents that name it, by the key that `serverKeys` gives it. */
export type AgentIndex = "instance" | "dependency" | "port" | "server";
/** `name`: servers of one instance that have it. */
export type ServerIndex = "instance" | "name";

export interface Caches {
  agents: Informer<WatchedAgent, AgentIndex>;
  servers: Informer<WatchedServer, ServerIndex>;
  instances: Informer<WatchedInstance>;
  policies: Informer<WatchedPolicy, "instance">;
  /** Those of our own kinds. */
  own: readonly Informer<WatchedAgent | WatchedServer | WatchedInstance | WatchedPolicy>[];
  children: Record<ChildKind, Informer<LiveObject>> & { configMap: Informer<LiveObject, "owner"> };
  start(): void;
  stop(): Promise<void>;
}

const keysIn = (agent: LiveObject, names: readonly string[]) =>
  names.map((name) => objectKey(agent.metadata.namespace, name));

/** The key of the instance that an agent, server or policy says it belongs to. */
export const keysInInstance = (member: WatchedAgent | WatchedServer | WatchedPolicy): string[] =>
  member.parsed.ok ? keysIn(member, [member.parsed.value.spec.instanceRef.name]) : [];

/** Agents of one instance that ask for the same port. */
export function portKeys({ parsed }: WatchedAgent): string[] {
  if (!parsed.ok || parsed.value.spec.port === undefined) return [];
  const { metadata, spec } = parsed.value;
  return [`${metadata.namespace}/${spec.instanceRef.name}:${spec.port}`];
}

/** Agents that let this one in: a change of whom it calls changes their NetworkPolicies, and nothing else (SEC-3). */
export const calleeKeys = (agent: WatchedAgent): string[] =>
  agent.parsed.ok ? keysIn(agent, calledBy(agent.parsed.value)) : [];

/** By which agents name it: what an instance's agents say is the name, not the resource. */
const serverKeyOf = ({ metadata, spec }: PallasAgent | PallasServer, name: string): string =>
  `${metadata.namespace}/${spec.instanceRef.name}:${name}`;

/** The one key of a server that can be read. */
export const serverKeys = ({ parsed }: WatchedServer): string[] =>
  parsed.ok ? [serverKeyOf(parsed.value, serverNameOf(parsed.value))] : [];

/** Of the servers that an agent names. */
export const namedServerKeys = ({ parsed }: WatchedAgent): string[] =>
  parsed.ok ? (parsed.value.spec.servers ?? []).map(({ name }) => serverKeyOf(parsed.value, name)) : [];

/** The server whose children would have the name of this agent's, if there is such a server. */
export const runsServer = (agent: string): string | undefined => /^(.+)-server$/.exec(agent)?.[1];

/** The agent a child belongs to, by its label: a retained claim has no owner. */
export function agentKeys({ metadata }: LiveObject): string[] {
  const agent = metadata.labels?.[labels.agent];
  return agent === undefined ? [] : [objectKey(metadata.namespace, agent)];
}

/** Who controls it, if anybody does. */
const ownerUids = (child: LiveObject): string[] => [controllerOf(child)?.uid ?? []].flat();

/** The instance that the children of an agent or server are rendered from beside it. */
export function instanceOf(
  { agents, servers, instances }: Pick<Caches, "agents" | "servers" | "instances">,
  owner: LiveObject,
) {
  const cache = [agents, servers].find(({ type }) => type.kind === owner.kind);
  const parsed = cache?.store.get(keyOf(owner))?.parsed;
  if (!parsed?.ok) return undefined;
  return instances.store.get(objectKey(owner.metadata.namespace, parsed.value.spec.instanceRef.name));
}

export interface CachesOptions {
  readonly transport: Transport;
  /** Undefined: the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  readonly log: Logger;
  readonly metrics?: KubeMetrics;
  /** The image that this release gives to agents. */
  readonly agentImage: string;
}

export function createCaches({ log, agentImage, ...options }: CachesOptions): Caches {
  const common = { ...options, log: log.child({ logger: "pallas.operator.watch" }) };
  const agents = createInformer<WatchedAgent, AgentIndex>({
    ...common,
    ...watching(kinds.PallasAgent),
    indexes: {
      instance: keysInInstance,
      port: (agent) => portKeys(agent),
      server: namedServerKeys,
      dependency: (agent) => (agent.parsed.ok ? keysIn(agent, dependenciesOf(agent.parsed.value)) : []),
    },
  });
  const servers = createInformer<WatchedServer, ServerIndex>({
    ...common,
    ...watching(kinds.PallasServer),
    indexes: {
      instance: keysInInstance,
      name: serverKeys,
    },
  });
  const instances = createInformer<WatchedInstance>({
    ...common,
    ...watching(kinds.PallasInstance),
    indexes: {},
  });
  const policies = createInformer<WatchedPolicy, "instance">({
    ...common,
    ...watching(kinds.PallasPolicy),
    indexes: { instance: keysInInstance },
  });
  const childOptions = (kind: ChildKind) => ({
    ...common,
    type: childTypes[kind],
    labelSelector: labels.component,
    parse: (raw: RawObject): LiveObject => raw,
    slim: slimChild(kind, agentImage),
  });
  const child = (kind: ChildKind) => createInformer<LiveObject>({ ...childOptions(kind), indexes: {} });
  const children: Caches["children"] = {
    deployment: child("deployment"),
    service: child("service"),
    configMap: createInformer<LiveObject, "owner">({ ...childOptions("configMap"), indexes: { owner: ownerUids } }),
    serviceAccount: child("serviceAccount"),
    role: child("role"),
    roleBinding: child("roleBinding"),
    networkPolicy: child("networkPolicy"),
    podDisruptionBudget: child("podDisruptionBudget"),
    historyClaim: child("historyClaim"),
  };
  const own = [agents, servers, instances, policies];
  const all = [...own, ...Object.values(children)];
  return {
    agents,
    servers,
    instances,
    policies,
    own,
    children,
    start: () => all.forEach((informer) => informer.start()),
    stop: async () => {
      await Promise.all(all.map((informer) => informer.stop()));
    },
  };
}
