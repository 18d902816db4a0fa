// The operator program: environment → connections → caches → election → controllers, until a signal. Metrics and
// probes are served from the start, so that a process that waits for the API server or for the lease can be seen.
import { systemClock } from "../lib/process/clock.ts";
import "../lib/process/small-heap.ts";
import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { findClusterConfig } from "../lib/kube/cluster-config.ts";
import { createWriteTracker } from "../lib/kube/consistency.ts";
import { createElection } from "../lib/kube/election.ts";
import { createEventRecorder } from "../lib/kube/events.ts";
import { createKubeMetrics } from "../lib/kube/metrics.ts";
import { createOwnerGuard } from "../lib/kube/owner-guard.ts";
import { createTransport } from "../lib/kube/transport.ts";
import { listen } from "../lib/process/http-server.ts";
import { captureLibraryOutput } from "../lib/process/library-output.ts";
import { createLogger } from "../lib/process/log.ts";
import { createMetrics, probeRoutes } from "../lib/process/metrics.ts";
import { createShutdown } from "../lib/process/shutdown.ts";
import { limitsOf } from "../plan/limit-variables.ts";
import type { Rules } from "../plan/rules.ts";
import { createCaches, instanceOf } from "./caches.ts";
import { createChildWriter } from "./children.ts";
import { createControllers } from "./controllers.ts";
import { parseEnvironment } from "./environment.ts";
import { agentQuestion } from "./health/ask-health.ts";
import { bridgeQuestion } from "./health/bridge-verdict.ts";
import { createHealthPoller } from "./health/poller.ts";
import { createSliceInformer, podsAtUrl, podsInSlices, type Asked } from "./health/watched-pods.ts";
import { createInstancePolicies } from "./instance-policies.ts";
import { createInstanceServers } from "./instance-servers.ts";
import { RolloutBudget } from "./rollouts/budget.ts";
import { registerRolloutMetrics } from "./rollouts/metrics.ts";
import { createImagePacing } from "./rollouts/pace-image.ts";
import { createNeighbours } from "./neighbours.ts";
import { createStatusWriter } from "./status.ts";
import { createTokenIssuer, wakeBehindGateways } from "./token-issuer.ts";
import { createWakes } from "./wakes.ts";

const environment = parseEnvironment(process.env);
const { PALLAS_LOG_LEVEL: level, PALLAS_ROOT_LOG_LEVEL: rootLevel } = environment;
const log = createLogger({ logger: "pallas.operator", level, rootLevel });
captureLibraryOutput(log);
const shutdown = createShutdown({ log, deadlineMs: 15_000 });
const metrics = createMetrics();
const kubeMetrics = createKubeMetrics(metrics.registry);

const kubeConfig = await findClusterConfig();
const connect = () => createTransport({ kubeConfig, userAgent: "pallas-operator", metrics: kubeMetrics });
const transport = connect();
// Its own connections: a renewal must not wait behind other calls.
const electionTransport = connect();
shutdown.add("connections", async () => {
  await Promise.all([transport.close(), electionTransport.close()]);
});

const watching = { transport, namespaces: environment.PALLAS_NAMESPACES, log, metrics: kubeMetrics };
const caches = createCaches({ ...watching, agentImage: environment.PALLAS_AGENT_IMAGE });
const slices = createSliceInformer(watching);
shutdown.add("caches", async () => {
  await Promise.all([caches.stop(), slices.stop()]);
});

const identity = `${environment.PALLAS_POD_NAME}_${randomUUID()}`;
const election =
  environment.PALLAS_LEADER_ELECTION === "true"
    ? createElection({
        transport: electionTransport,
        namespace: environment.PALLAS_LEASE_NAMESPACE,
        name: "pallas-operator",
        identity,
        log: log.child({ logger: "pallas.operator.election" }),
        metrics: kubeMetrics,
      })
    : undefined;
const fenced = election ? election.fence(transport) : transport;

// Not the leader's matter: a waiting process is as ready as the one that leads.
const unsynced = () => {
  const waiting = caches.own.find(({ hasSynced }) => !hasSynced);
  return waiting && `the first lists are not read yet${waiting.state.message ? `: ${waiting.state.message}` : ""}`;
};
const admin = new Hono().route("/", probeRoutes({ ready: unsynced })).get("/metrics", async (context) => {
  const { body, contentType } = await metrics.render();
  return context.body(body, 200, { "content-type": contentType });
});
const server = await listen(admin.fetch, {
  port: environment.PALLAS_ADMIN_PORT,
  hostname: environment.PALLAS_HOST,
  log,
});
shutdown.add("admin server", async () => {
  await server.close({ graceMs: 1_000 });
});

const events = createEventRecorder({
  transport: fenced,
  component: "pallas.helu.ca/operator",
  instance: environment.PALLAS_POD_NAME,
  log,
  metrics: kubeMetrics,
});
const tracker = createWriteTracker({
  informers: [...caches.own, ...Object.values(caches.children)],
  log,
});
const guard = createOwnerGuard({
  transport,
  informers: caches.own,
  basisOf: (owner) => instanceOf(caches, owner),
});
const children = createChildWriter({ transport: fenced, caches, tracker, guard, log });
const wakes = createWakes("health, rollouts and keys");
const instanceWakes = createWakes("keys");
const serverWakes = createWakes("health of bridges");
const deployments = caches.children.deployment.store;
const podsOf = (asked: Asked, url: string | undefined) =>
  url === undefined ? podsInSlices(slices.store, asked) : podsAtUrl(url, deployments, asked);
const asking = {
  intervalMs: environment.PALLAS_HEALTH_INTERVAL_MS,
  log: log.child({ logger: "pallas.operator.health" }),
};
const health = createHealthPoller({
  ...asking,
  question: agentQuestion(),
  pods: podsOf("agent", environment.PALLAS_AGENT_HEALTH_URL),
  onChange: wakes.wake,
});
const bridgeHealth = createHealthPoller({
  ...asking,
  question: bridgeQuestion,
  pods: podsOf("server", environment.PALLAS_BRIDGE_HEALTH_URL),
  onChange: serverWakes.wake,
});
const tokenIssuer = createTokenIssuer({
  server: transport,
  instances: caches.instances.store,
  onChange: () => wakeBehindGateways(caches, { wakeAgent: wakes.wake, wakeInstance: instanceWakes.wake }),
  clock: systemClock,
  log: log.child({ logger: "pallas.operator.keys" }),
});
shutdown.add("keys", async () => tokenIssuer.stop());
const budget = new RolloutBudget({
  deployments,
  image: environment.PALLAS_AGENT_IMAGE,
  maxRollouts: environment.PALLAS_MAX_ROLLOUTS,
  onFree: wakes.wake,
  log: log.child({ logger: "pallas.operator.rollouts" }),
});
registerRolloutMetrics(metrics.registry, budget);
const rules: Rules = { mode: "cluster", ...limitsOf(environment) };
const instanceServers = createInstanceServers({ servers: caches.servers.store, agents: caches.agents.store, rules });
const instancePolicies = createInstancePolicies(caches.policies.store);
const controllers = createControllers({
  caches,
  neighbours: createNeighbours(caches.agents.store, instanceServers, instancePolicies),
  instanceServers,
  instancePolicies,
  children,
  status: createStatusWriter({ transport: fenced, tracker, guard, events }),
  tracker,
  images: {
    agent: environment.PALLAS_AGENT_IMAGE,
    registry: environment.PALLAS_REGISTRY_IMAGE,
    gateway: environment.PALLAS_GATEWAY_IMAGE,
    bridge: environment.PALLAS_BRIDGE_IMAGE,
  },
  rules,
  apiServerPorts: environment.PALLAS_API_SERVER_PORTS,
  metricsFrom: environment.PALLAS_METRICS_FROM,
  health,
  bridgeHealth,
  tokenIssuer,
  pacing: createImagePacing(budget, deployments),
  wakes: wakes.source,
  serverWakes: serverWakes.source,
  instanceWakes: instanceWakes.source,
  now: () => new Date(systemClock.wallNow()),
  log,
  metrics: kubeMetrics,
  workers: environment.PALLAS_WORKERS,
});
const lead = async (leadership: AbortSignal) => {
  await Promise.all([...controllers, health, bridgeHealth].map((each) => each.run(leadership)));
  await events.close();
};
let lostLeadership = false;
const leading = (election ? election.run(shutdown.signal, lead) : lead(shutdown.signal)).catch((error: unknown) => {
  lostLeadership = true;
  log.error({ err: error }, "leadership ended, this process ends too");
  shutdown.begin("leadership ended");
});
// Reconciles in flight, the last events, and the lease given back.
shutdown.add("controllers", () => leading, { deadlineMs: 20_000 });
caches.start();
slices.start();
log.info({ namespaces: environment.PALLAS_NAMESPACES ?? "all", adminPort: server.port, identity }, "operator started");

const { failed } = await shutdown.finished;
process.exit(failed.length === 0 && !lostLeadership ? 0 : 1);
