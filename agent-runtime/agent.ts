// One agent put together from its run configuration: what it serves on its two ports, without the ports. Everything it is
// made of gets what it needs as an argument; two agents in one process share nothing.
import { Hono } from "hono";
import type { HealthPayload } from "../crds/health.ts";
import type { RunConfig } from "../crds/run-config.ts";
import type { Auth } from "../lib/auth/auth.ts";
import { requireCallerToken } from "../lib/auth/caller-token.ts";
import { createDrain, type Drain } from "../lib/mcp/drain.ts";
import { nameGatewayCaller, proveGatewayCaller } from "../lib/auth/gateway-caller.ts";
import { serveMcp, type McpEndpoint, type McpVariables } from "../lib/mcp/serve.ts";
import { staticTools } from "../lib/mcp/table.ts";
import type { JudgedRing } from "../lib/policy/judged-ring.ts";
import { settledWithin, type Clock } from "../lib/process/clock.ts";
import { defined } from "../lib/process/defined.ts";
import { guardHosts } from "../lib/process/http-guard.ts";
import type { Logger } from "../lib/process/log.ts";
import { createMemoryBudget, deriveBudgetBytes, type MemoryBudget } from "../lib/process/memory-budget.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { createAdminApp } from "./admin.ts";
import type { ApproversParts } from "./approvals/ask-approval.ts";
import { CallError } from "./call-error.ts";
import { createCalls, type Calls } from "./calls.ts";
import { cardPath, createCardApp } from "./card.ts";
import { observeProblems } from "./health/problems.ts";
import type { GatewayRoutes, GatewayRoutesParts } from "./gateway-routes.ts";
import { createHealth, type Health } from "./health/health.ts";
import { createObserved } from "./health/observed.ts";
import { createTurnTimes, type TurnTimes } from "./health/turn-times.ts";
import { renderAllowedHosts } from "./hosts.ts";
import { findImageLimits } from "./image-data.ts";
import { createReadGatewayToken } from "./inputs/gateway-token.ts";
import { observeInstruction } from "./inputs/instruction.ts";
import { renderInitial, type ReadLiveConfig } from "./inputs/live-config.ts";
import { createMountedFiles } from "./inputs/mounted-files.ts";
import type { UnsetVariable } from "./inputs/placeholders.ts";
import { createReadSecret, type Place } from "./inputs/secrets.ts";
import { createAnswerSchema } from "./loop/answer-schema.ts";
import { createSendMessage } from "./mcp-surface/send-message.ts";
import { renderTable, type Surface } from "./mcp-surface/table.ts";
import { createAgentMetrics, type AgentMetrics } from "./metrics.ts";
import { createModels, type Models } from "./model/models.ts";
import { allowAll } from "./policy/allow-all.ts";
import type { PolicyGate, PolicyGateParts } from "./policy/gate.ts";
import { urlAsAsked } from "./published-url.ts";
import { createGatewayProof } from "./require-gateway.ts";
import { createJsonlStore } from "./session/jsonl-store.ts";
import { createSessions, type Sessions } from "./session/sessions.ts";
import { noTelemetry, type Telemetry } from "./telemetry/telemetry.ts";
import { traceServedTool } from "./telemetry/traced.ts";
import { createDispatch } from "./tools/dispatch.ts";
import { createTools, type Tools } from "./tools/toolbox.ts";

const preflightTimeoutMs = 5_000;
/** Looking is writing: several that ask at once get one answer. */
const storeProblemKeptMs = 1_000;
/** For aborted calls to leave their histories whole. */
const closeGraceMs = 2_000;
const maxConnections = 1_000;
/** Node's longest timer; a history may be kept longer than a connection can idle. */
const maxConnectionIdleMs = 2 ** 31 - 1;

const shutDown = (): Error => new CallError("The agent was shut down before this call had ended: send it again.");

export interface AgentOptions {
  config: RunConfig;
  secretsDir: string;
  textsDir: string;
  /** Where histories are kept; this agent's alone. Not touched with the scope request. */
  historiesDir: string;
  /** Where /mcp is served; for pallas_agent_info. */
  port: number;
  podIp?: string | undefined;
  /** File of the agent's own token for its gateway. */
  gatewayTokenFile?: string | undefined;
  /** What callers from other machines must send; nothing where it is absent. */
  callerToken?: string | undefined;
  /** What may change while it runs. Default: what the configuration says of it. */
  readLive?: ReadLiveConfig;
  /** Variables that placeholders of the configuration refer to and that are not set (CFG-6). */
  unset?: readonly UnsetVariable[];
  /** Where it runs, by which messages say what to do; in a cluster when absent. */
  place?: Place;
  slowProbeMs: number;
  slowAnswerMs: number;
  /** Called at the first moment of draining. */
  onDraining: () => void;
  log: Logger;
  clock: Clock;
  /** Who is told of what runs do; nobody when absent. The caller closes it. */
  telemetry?: Telemetry;
  /** What bodies and answers of tools may hold together. Default: by the memory of the process. */
  memory?: MemoryBudget;
  /** In place of the configured models. */
  models?: Models;
}

export interface Agent {
  mcpApp: Hono<McpVariables>;
  adminApp: Hono;
  health: Health;
  drain: Drain;
  /** Ends sessions, aborts running calls, closes links to downstream servers, gives the histories back. */
  close(): Promise<void>;
}

/** An agent that listens nowhere yet. Rejects when the configuration contradicts itself. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { config, log, clock, telemetry = noTelemetry, readLive = async () => renderInitial(config) } = options;
  const { readSecret, readInstruction, readGatewayToken } = createInputs(options);
  const metrics = createAgentMetrics({ config, port: options.port });
  const sources = { readSecret, tokens: createAccessTokens({ readSecret, clock }), readGatewayToken };
  const models = options.models ?? createModels({ config, ...sources, log, clock, onTurn: metrics.countTurn });
  const turnTimes = createTurnTimes({ slowAnswerMs: options.slowAnswerMs, clock });
  const calls = createCalls(clock);
  const drain = createCallDrain(options, calls);
  const { store, sessions, observeStoreProblem } = createHistories(options, metrics);
  const { memory = createMemoryBudget(deriveBudgetBytes()) } = options;
  const { countToolCall: onCall, countDecision: count } = metrics;
  const { gate, ...policy } = await openPolicy({ config, readLive, readGatewayToken, count, log, clock });
  const tools = createTools({ config, sources, gate, memory, log, clock });
  const auth = await openAuth(options);
  const observeOwnProblems = () =>
    observeProblems({ config, readInstruction, readSecret, observeStoreProblem, isDraining: drain.isDraining, clock });
  const observed = { models, tools, turnTimes, auth, sources, metrics, observeProblems: observeOwnProblems };
  const health = createAgentHealth(options, observed);
  const vision = createVision(models, config);
  const sendMessage = createSendMessage({
    config,
    models: { turn: timeTurns(models, turnTimes, clock) },
    activeModel: () => models.active,
    tools,
    observeImageLimits: vision.observeImageLimits,
    dispatch: createDispatch({ ...vision, gate, maxResultBytes: config.limits.toolResultBytes, onCall, log, clock }),
    sessions,
    answerSchema: config.output === undefined ? undefined : createAnswerSchema(config.output.schema),
    observeInstruction: readInstruction,
    onAnswered: metrics.countCall,
    ...{ calls, memory, telemetry, log, clock },
  });
  const surface = renderTable({ config, sendMessage, sessions, observeHealth: () => observePayload(health) });
  const endpoint = createEndpoint(surface, { config, sessions, readLive, memory, metrics, telemetry, log });
  const allowedHosts = renderAllowedHosts(config, options.podIp);
  const routes = { config, calls, sessions, readLive, sources, gate, ring: policy.ring, memory, onCall, log, clock };
  const gateway = await openGatewayRoutes(routes);
  return {
    mcpApp: createMcpApp({ ...options, readLive, allowedHosts, auth, drain, endpoint }),
    adminApp: createAdminApp({
      allowedHosts,
      observeUnready: async () => (await observeOwnProblems())[0],
      checkHealth: async () => ({ ...(await health.check()), callsInFlight: calls.count() }),
      renderMetrics: metrics.render,
      gateway: gateway?.app,
    }),
    health,
    drain,
    async close() {
      await Promise.all([endpoint.close(), tools.close(), gateway?.close(), auth?.close(), policy.close()]);
      await settledWithin(calls.idle(), closeGraceMs, clock);
      await store.close();
    },
  };
}

const createCallDrain = ({ onDraining, log, clock }: AgentOptions, { count, idle, abortAll }: Calls): Drain =>
  createDrain({
    program: "the agent",
    calls: { count, idle, abortAll: () => abortAll(shutDown()) },
    onBegin: onDraining,
    log,
    clock,
  });

interface HealthParts extends Pick<Parameters<typeof createHealth>[0], "observeProblems" | "sources"> {
  models: Models;
  tools: Tools;
  turnTimes: TurnTimes;
  auth: Auth | undefined;
  metrics: AgentMetrics;
}

function createAgentHealth(
  { config, unset = [], slowProbeMs, clock }: AgentOptions,
  { models, tools, turnTimes, auth, metrics, ...parts }: HealthParts,
): Health {
  return createHealth({
    ...{ ...parts, config, unset, slowProbeMs, clock },
    preflight: () => models.preflight(AbortSignal.timeout(preflightTimeoutMs)),
    observeLinks: tools.observeProblems,
    observeSlowAnswers: turnTimes.observeSlow,
    observeToolsLeftOut: () => models.toolsLeftOut,
    observeAuthTrouble: () => auth?.observeTrouble(),
    onReport: metrics.setHealth,
  });
}

/** What is read anew for each call: secrets and the instruction, with the cures of where the agent runs. */
function createInputs({ config, secretsDir, textsDir, gatewayTokenFile, place = "cluster" }: AgentOptions) {
  const texts = createMountedFiles(textsDir);
  return {
    readSecret: createReadSecret(createMountedFiles(secretsDir), place),
    readGatewayToken: createReadGatewayToken(gatewayTokenFile),
    readInstruction: () => observeInstruction(config.instruction, texts, place),
  };
}

/** Where conversations are kept. A problem of the store is one of the agent's, where its scope keeps any. */
function createHistories({ config, historiesDir, log, clock }: AgentOptions, metrics: AgentMetrics) {
  const store = createJsonlStore({
    ...config.history,
    folder: historiesDir,
    onDropped: metrics.countDropped,
    clock,
    log: log.child({ logger: "pallas.session" }),
  });
  const { queuedCalls: maxQueued, concurrentCalls: maxRunning } = config.limits;
  const sessions = createSessions({
    scope: config.scope,
    maxQueued,
    maxRunning,
    onRefused: metrics.countRefused,
    store,
  });
  const storeProblem = createObserved(store.observeProblem, { keepMs: () => storeProblemKeptMs, clock });
  const observeStoreProblem = async () => (config.scope === "request" ? undefined : storeProblem.get());
  return { store, sessions, observeStoreProblem };
}

/** Its libraries are loaded only where the configuration asks for authentication. */
async function openAuth({ config, clock, log }: AgentOptions): Promise<Auth | undefined> {
  const { auth, agent } = config;
  if (auth === undefined) return undefined;
  const { createAuth } = await import("../lib/auth/auth.ts");
  return createAuth(auth, {
    title: agent.title,
    resourceAt: (requestUrl) => urlAsAsked(auth.resource, requestUrl),
    clock,
    log: log.child({ logger: "pallas.auth" }),
  });
}

/** What the model of the moment, and its provider, take of images. */
function createVision(models: Models, { providers }: RunConfig) {
  return {
    hasVision: () => models.active.capabilities.vision,
    observeImageLimits: () => findImageLimits(models.active.provider, providers),
  };
}

/** Loaded only where there is a gateway, by which alone they are reached. */
async function openGatewayRoutes(parts: GatewayRoutesParts): Promise<GatewayRoutes | undefined> {
  if (parts.config.gateway === undefined) return undefined;
  const { createGatewayRoutes } = await import("./gateway-routes.ts");
  return createGatewayRoutes(parts);
}

type PolicyParts = Pick<PolicyGateParts, "config" | "readLive" | "count" | "log" | "clock"> &
  Pick<ApproversParts, "readGatewayToken">;

/** Loaded only where the agent has a policy. */
async function openPolicy(
  parts: PolicyParts,
): Promise<{ gate: PolicyGate; ring?: JudgedRing; close(): Promise<void> }> {
  if (parts.config.policy === undefined) return { gate: allowAll, close: async () => undefined };
  const [{ createApprovers }, { createPolicyGate }, { JudgedRing }] = await Promise.all([
    import("./approvals/ask-approval.ts"),
    import("./policy/gate.ts"),
    import("../lib/policy/judged-ring.ts"),
  ]);
  const { ask, close } = createApprovers(parts);
  const ring = new JudgedRing();
  const gate = createPolicyGate({ ...parts, ask, record: ({ call, before, at }) => ring.add(call, before, at) });
  return { gate, ring, close };
}

interface EndpointParts {
  config: RunConfig;
  sessions: Sessions;
  readLive: ReadLiveConfig;
  memory: MemoryBudget;
  metrics: AgentMetrics;
  telemetry: Telemetry;
  log: Logger;
}

/** A call of the scope `request` needs no session, so that any of several pods serves it, whichever opened one. */
function createEndpoint(table: Surface, parts: EndpointParts): McpEndpoint {
  const { config, sessions, readLive, memory, metrics, telemetry, log } = parts;
  const idleTtlMs = Math.min(config.history.idleTtlMs, maxConnectionIdleMs);
  const tools = staticTools(table.tools.map((tool) => traceServedTool(tool, telemetry)));
  return serveMcp(
    { ...table, tools },
    {
      log: log.child({ logger: "pallas.mcp" }),
      bodyLimitBytes: config.http.bodyLimitBytes,
      bodyBudget: memory,
      onBodyRefused: () => metrics.countRefused("memory"),
      callers: config.auth === undefined ? "either" : "named",
      sessions: { idleTtlMs, max: maxConnections },
      ...(config.scope === "request" ? { opensSessions: async () => !(await readLive()).severalPods } : {}),
      isResumable: sessions.isKnownConnection,
      onSessionDelete: sessions.forgetConnection,
    },
  );
}

interface McpAppParts {
  config: RunConfig;
  readLive: ReadLiveConfig;
  allowedHosts: readonly string[];
  auth: Auth | undefined;
  callerToken?: string | undefined;
  drain: Drain;
  endpoint: McpEndpoint;
  clock: Clock;
}

/** In this order: who may ask at all, what all of them may know, who is asking, whether there is still time, and then the endpoint. */
function createMcpApp(parts: McpAppParts): Hono<McpVariables> {
  const { config, readLive, allowedHosts, auth, callerToken, drain, endpoint } = parts;
  const app = new Hono<McpVariables>();
  const isPublicRead = (path: string) => path === cardPath || auth?.isPublicRead(path) === true;
  app.use(guardHosts({ allowedHosts, allowedOrigins: config.http.allowedOrigins, isPublicRead }));
  const readCard = async () => (await readLive()).card;
  app.route("/", createCardApp(config.agent.version, readCard));
  if (auth !== undefined) app.route("/", auth.app);
  // A token says more than the gateway could.
  else if (config.gateway !== undefined) app.use(nameGatewayCaller);
  if (config.gateway !== undefined) app.use(proveGatewayCaller(createGatewayProof(parts)));
  if (callerToken !== undefined) app.use(requireCallerToken(callerToken));
  app.use(drain.refuseCalls);
  app.route("/", endpoint.app);
  return app;
}

/** What get_health says: the report without its parts. */
async function observePayload(health: Health): Promise<HealthPayload> {
  const { status, timestamp, message } = await health.check();
  return { status, timestamp, ...defined({ message }) };
}

function timeTurns(models: Models, turnTimes: TurnTimes, clock: Clock): Models["turn"] {
  return async (request) => {
    const startedAt = clock.now();
    const result = await models.turn(request);
    turnTimes.add(clock.now() - startedAt);
    return result;
  };
}
