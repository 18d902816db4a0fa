// What should run on this machine, from the judged manifests: pure. A resource whose edit is faulty stays as it last
// was good, so that a slip in an editor stops nothing (CLI-1).
import { createHash } from "node:crypto";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { Resource } from "../../crds/kinds.ts";
import { registryMcpPath } from "../../crds/names.ts";
import type { TokenSigner } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import { formatProblem, type ValidationError } from "../../plan/validation-error.ts";
import { dependenciesOf } from "../../plan/order.ts";
import type { Neighbourhood } from "../../plan/resolve.ts";
import { renderResolved } from "../../plan/resolved.ts";
import { resolveServer } from "../../plan/server.ts";
import { serialiseConfig } from "../../plan/run-config.ts";
import { localAgentUrl, localUrl, publishedLocalUrl } from "../../plan/urls.ts";
import type { Judged } from "../manifests/judge.ts";
import { placeholdersIn, type Environment } from "../manifests/local-objects.ts";
import { sourceOf, type Manifests } from "../manifests/read-manifests.ts";
import { renderGateways, type DesiredGateway } from "./desired-gateways.ts";
import {
  bridgeUrl,
  renderListedServer,
  renderRunnableServer,
  type ListedServer,
  type RunnableServer,
  type ServerContext,
} from "./desired-servers.ts";
import { policiesOf, renderPolicies, withLivePolicy, type DesiredPolicies } from "./desired-policies.ts";
import { assignPorts, type PortPlan } from "./ports.ts";
import { gatewayKey, keyOf, serverKey } from "./process-keys.ts";

interface Placed {
  /** The manifest that it is in. */
  file: string;
}

/** An accepted agent: the catalogue lists it whether or not it can run. */
export interface ListedAgent extends Placed {
  agent: PallasAgent;
  /** RFC 3339, UTC. */
  specChangedAt: string;
  /** Absent when it got no port. */
  url?: string;
  /** Why it cannot run, when it cannot. */
  problem?: Pick<ValidationError, "reason" | "message">;
}

export interface RunnableAgent extends Placed {
  /** namespace/name */
  key: string;
  agent: PallasAgent;
  instance: PallasInstance;
  port: number;
  /** Keys of the agents that must be ready first. */
  dependencies: string[];
  /** Keys of the tool servers that it names, whose being down does not keep it from starting. */
  servers: string[];
  model: string;
  /** The bytes of its run configuration, and of what it reads while it runs. */
  runConfig: string;
  liveConfig: string;
  drainTimeoutMs: number;
  /** Differs exactly when the process must be started anew. */
  fingerprint: string;
}

export interface Desired {
  /** Their status says when their spec last changed. */
  instances: Map<string, PallasInstance>;
  instanceFiles: Map<string, string>;
  listed: Map<string, ListedAgent>;
  runnable: Map<string, RunnableAgent>;
  /** Of agents. */
  ports: Map<string, number>;
  refusedPorts: PortPlan["refused"];
  gateways: Map<string, DesiredGateway>;
  /** All that can be read or could be, by namespace/name. */
  policies: DesiredPolicies;
  /** Every accepted tool server, by the key of its process. */
  servers: Map<string, ListedServer>;
  /** Those for which a process is started. */
  runnableServers: Map<string, RunnableServer>;
  serverPorts: ReadonlyMap<string, number>;
}

export interface DesiredContext {
  registryPort: number;
  /** By which this machine reaches what listens here. */
  urlHost: string;
  environment: Environment;
  /** Of the tokens of the run's gateways; absent: none is started. */
  signer?: TokenSigner | undefined;
  previous?: Desired | undefined;
  /** Ports of agents in the run before, or in this one before the edit. */
  portsBefore: ReadonlyMap<string, number>;
  /** Of the bridges of tool servers, by key. */
  serverPorts: ReadonlyMap<string, number>;
  /** Which programs may be started here (SEC-8). */
  judgeProgram: ServerContext["judgeProgram"];
}

/** What should run, given what should have run before. */
export function renderDesired(manifests: Manifests, judged: Judged, context: DesiredContext): Desired {
  const { previous } = context;
  const { checked } = judged;
  const isKept = createKeeper(manifests, judged);

  const accepted = new Map(checked.accepted.map(({ agent }) => [keyOf(agent), agent]));
  const keptListed = kept(previous?.listed, accepted, (key, { file }) => isKept("PallasAgent", key, file));
  const runnable = new Map(checked.runnable.map((entry) => [keyOf(entry.agent), entry]));
  const keptRunnable = kept(previous?.runnable, runnable, (key, { file }) => isKept("PallasAgent", key, file));
  const policies = renderPolicies(
    checked.policies,
    (policy) => fileOf(manifests, policy),
    previous?.policies,
    (key, file) => isKept("PallasPolicy", key, file),
  );
  for (const [key, entry] of keptRunnable) keptRunnable.set(key, withLivePolicy(entry, policies));
  const { instances, instanceFiles } = renderInstances(manifests, judged, previous);
  const wishes = [...accepted.values(), ...[...keptListed.values()].map(({ agent }) => agent)].map((agent) => {
    // What keeps running keeps its port, whatever the faulty edit says.
    const port = keptRunnable.get(keyOf(agent))?.port ?? agent.spec.port;
    return port === undefined ? { key: keyOf(agent) } : { key: keyOf(agent), port };
  });
  const { ports, refused } = assignPorts(wishes, {
    registryPort: context.registryPort,
    previous: context.portsBefore,
    taken: context.serverPorts.values(),
  });

  const desired: Desired = {
    instances,
    instanceFiles,
    listed: keptListed,
    runnable: keptRunnable,
    ports,
    refusedPorts: refused,
    policies,
    gateways: renderGateways(instances.values(), {
      agents: [...accepted.values(), ...[...keptListed.values()].map(({ agent }) => agent)],
      registryPort: context.registryPort,
      takenPorts: [...ports.values(), ...context.serverPorts.values()],
      urlHost: context.urlHost,
    }),
    ...renderServers(manifests, judged, context),
    serverPorts: context.serverPorts,
  };
  listAccepted(desired, manifests, checked, context);
  for (const [key, { agent, around: judgedAround }] of runnable) {
    const around = { ...judgedAround, policies: policiesOf(judgedAround.instance, policies) };
    const port = ports.get(key);
    if (port === undefined) continue;
    const file = fileOf(manifests, agent);
    const servers = serversOf(agent, desired.servers.values());
    const { gateways } = desired;
    desired.runnable.set(key, renderRunnable({ agent, around, servers, port, ports, gateways, context, file }));
  }
  return desired;
}

/** Adds every accepted agent, with why it cannot run where it cannot. */
function listAccepted(
  desired: Desired,
  manifests: Manifests,
  checked: Judged["checked"],
  { previous, urlHost }: DesiredContext,
): void {
  const { problems, accepted } = checked;
  const runnable = new Set(checked.runnable.map(({ agent }) => keyOf(agent)));
  for (const { agent } of accepted) {
    const key = keyOf(agent);
    const port = desired.ports.get(key);
    const instance = desired.instances.get(`${agent.metadata.namespace}/${agent.spec.instanceRef.name}`);
    const url = port === undefined ? undefined : publishedLocalUrl(agent, instance, { port, host: urlHost });
    // One whose policy alone is missing runs.
    const problem = runnable.has(key) ? undefined : problems.find(({ subject }) => subject === `PallasAgent ${key}`);
    const before = previous?.listed.get(key);
    desired.listed.set(key, {
      agent,
      file: fileOf(manifests, agent),
      specChangedAt: changedAt(manifests, agent, before?.agent.spec, before?.specChangedAt),
      ...defined({ url }),
      ...(problem && { problem: { reason: problem.reason, message: formatProblem(problem) } }),
    });
  }
}

/** Instances as they are now, and as they were where an edit of them is faulty. */
function renderInstances(manifests: Manifests, judged: Judged, previous: Desired | undefined) {
  const { checked } = judged;
  const isKept = createKeeper(manifests, judged);
  const instances = new Map<string, PallasInstance>(
    checked.instances.map((instance) => {
      const before = previous?.instances.get(keyOf(instance));
      const specChangedAt = changedAt(manifests, instance, before?.spec, before?.status?.specChangedAt);
      return [keyOf(instance), { ...instance, status: { specChangedAt } }];
    }),
  );
  const instanceFiles = new Map(checked.instances.map((instance) => [keyOf(instance), fileOf(manifests, instance)]));
  for (const [key, file] of kept(previous?.instanceFiles, instances, (key, file) =>
    isKept("PallasInstance", key, file),
  )) {
    const instance = previous?.instances.get(key);
    if (instance) instances.set(key, instance);
    instanceFiles.set(key, file);
  }
  return { instances, instanceFiles };
}

/** Tool servers as they are now, and as they were where an edit of them is faulty. */
function renderServers(manifests: Manifests, judged: Judged, context: DesiredContext) {
  const { previous, serverPorts, environment, judgeProgram } = context;
  const servers: Desired["servers"] = new Map();
  const runnableServers: Desired["runnableServers"] = new Map();
  for (const { server, instance } of judged.checked.servers) {
    const key = serverKey(server);
    const port = serverPorts.get(key);
    const resolved = resolveServer(server, instance, bridgeUrl(port ?? 0));
    const around = { file: fileOf(manifests, server), port, environment, judgeProgram };
    servers.set(key, renderListedServer(resolved, around));
    const runnable = renderRunnableServer(resolved, around);
    if (runnable !== undefined) runnableServers.set(key, runnable);
  }
  const isKept = createKeeper(manifests, judged);
  const stays = (_: string, { server, file }: ListedServer) => isKept("PallasServer", keyOf(server), file);
  for (const [key, listed] of kept(previous?.servers, servers, stays)) {
    servers.set(key, listed);
    const runnable = previous?.runnableServers.get(key);
    if (runnable !== undefined) runnableServers.set(key, runnable);
  }
  return { servers, runnableServers };
}

/** Entries of before that are not in `now` and are to stay. */
function kept<T>(
  before: ReadonlyMap<string, T> | undefined,
  now: ReadonlyMap<string, unknown>,
  stays: (key: string, entry: T) => boolean,
) {
  return new Map([...(before ?? [])].filter(([key, entry]) => !now.has(key) && stays(key, entry)));
}

/**
 * Whether something that is not sound any more is to stay: it is still declared, or its file has a problem, which may be
 * what hides it.
 */
function createKeeper({ sources }: Manifests, { diagnostics }: Judged) {
  const invalidFiles = new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ file }) => file));
  return (kind: string, key: string, file: string): boolean => sources.has(`${kind} ${key}`) || invalidFiles.has(file);
}

const fileOf = (manifests: Manifests, resource: Resource): string => sourceOf(manifests, resource)?.file ?? "";

/** When the spec was last another: as before while it is the same, else when its file changed. */
function changedAt(
  manifests: Manifests,
  resource: PallasAgent | PallasInstance,
  earlierSpec: object | undefined,
  earlierTime: string | undefined,
): string {
  if (earlierTime !== undefined && JSON.stringify(earlierSpec) === JSON.stringify(resource.spec)) return earlierTime;
  return sourceOf(manifests, resource)?.changedAt ?? new Date(0).toISOString();
}

/** Keys of those that an agent names. */
const serversOf = ({ metadata, spec }: PallasAgent, servers: Iterable<ListedServer>): string[] =>
  [...servers].flatMap(({ key, name, server }) =>
    server.metadata.namespace === metadata.namespace &&
    server.spec.instanceRef.name === spec.instanceRef.name &&
    spec.servers?.some((used) => used.name === name)
      ? [key]
      : [],
  );

interface Rendering extends Placed {
  agent: PallasAgent;
  around: Neighbourhood;
  servers: string[];
  port: number;
  ports: ReadonlyMap<string, number>;
  gateways: Desired["gateways"];
  context: DesiredContext;
}

function renderRunnable({ agent, around, servers, port, ports, gateways, context, file }: Rendering): RunnableAgent {
  const { namespace } = agent.metadata;
  // An agent whose sub-agent has no port waits for it, and is rendered anew when there is one.
  const gatewayUrl = (instance: PallasInstance, path: string) =>
    localUrl(gateways.get(gatewayKey(instance))?.port ?? 0, context.urlHost, path);
  const urls = {
    agent: (name: string) => localAgentUrl(ports.get(`${namespace}/${name}`) ?? 0, context.urlHost),
    server: (name: string) => bridgeUrl(context.serverPorts.get(serverKey({ metadata: { namespace, name } })) ?? 0),
    registry: (instance: PallasInstance) => gatewayUrl(instance, registryMcpPath),
    gateway: (instance: PallasInstance) => gatewayUrl(instance, ""),
  };
  const { config, live } = renderResolved(agent, around, urls, context.signer);
  const runConfig = serialiseConfig(config);
  const variables = placeholdersIn(runConfig).map((name) => [name, context.environment[name] ?? null]);
  return {
    key: keyOf(agent),
    agent,
    instance: around.instance,
    file,
    port,
    dependencies: dependenciesOf(agent).map((name) => `${namespace}/${name}`),
    servers,
    model: config.models[0]?.ref ?? "",
    runConfig,
    // One process, whatever spec.replicas says.
    liveConfig: serialiseConfig({ ...live, severalPods: false }),
    drainTimeoutMs: config.drainTimeoutMs,
    fingerprint: createHash("sha256")
      .update(JSON.stringify([port, runConfig, variables]))
      .digest("hex"),
  };
}

/** The named agents, everything they depend on and the tool servers of all of them; everything, when none is named. */
export function onlyNamed(desired: Desired, names: readonly string[]): Desired {
  if (names.length === 0) return desired;
  const wanted = new Set(
    [...desired.runnable.keys()].filter((key) => names.some((name) => key === name || key.endsWith(`/${name}`))),
  );
  // A Set hands out what is added while it is walked.
  for (const key of wanted) for (const next of desired.runnable.get(key)?.dependencies ?? []) wanted.add(next);
  const servers = new Set([...wanted].flatMap((key) => desired.runnable.get(key)?.servers ?? []));
  const narrowed = <T>(map: ReadonlyMap<string, T>, keys: ReadonlySet<string> = wanted) =>
    new Map([...map].filter(([key]) => keys.has(key)));
  return {
    ...desired,
    listed: narrowed(desired.listed),
    runnable: narrowed(desired.runnable),
    servers: narrowed(desired.servers, servers),
    runnableServers: narrowed(desired.runnableServers, servers),
  };
}
