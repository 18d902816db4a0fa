// All tools of one run: those of its servers and its sub-agents, under the names the model uses. Links to servers that get
// no caller's token are shared by all runs, links to the others by the runs of one token; a sub-agent's is the run's own,
// since it carries a conversation (BRR-2).
import type { RunConfig, RunHeader, RunServer } from "../../crds/run-config.ts";
import { notAskable, type Askable } from "../../lib/mcp/asking.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { OpenFetch } from "../../lib/mcp/safe-fetch.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { RunContext } from "../loop/run-context.ts";
import type { ModelTool } from "../model/types.ts";
import type { PolicyGate } from "../policy/gate.ts";
import { untilAborted } from "../../lib/process/until-aborted.ts";
import { renderAskUserRoute } from "./ask-user.ts";
import { createAskableLinks } from "../../lib/mcp/askable-links.ts";
import { forwardsBearer, observeHeaders, type Addressee, type HeaderSources } from "./headers.ts";
import { renderGuidance, type ServerGuidance } from "./guidance.ts";
import { createLink, type Link } from "../../lib/mcp/link.ts";
import { createLinkPool, type Lease, type LinkPool } from "../../lib/mcp/link-pool.ts";
import { renderFreeName, renderToolName } from "../../lib/mcp/tool-name.ts";
import { findUselessPatterns, isToolAllowed, readResourceName, resourcesRead } from "./naming.ts";
import { createResourceRoutes, judgedRead, type ReadableServer, type ResourceRoutes } from "./resources.ts";
import { createIsShown, isRouteShown, showRegistry, type IsShown } from "./shown-tools.ts";
import { renderRegistry, type RegistryRoutes } from "./registry.ts";
import type { ToolRoute } from "./route.ts";
import { renderSubAgentRoute } from "./sub-agents.ts";

/** More tools of one server than any model could be shown; the rest is left out. */
const maxToolsPerServer = 512;

export interface Toolbox {
  readonly tools: readonly ModelTool[];
  /** Servers that lend no tools now. */
  readonly unavailable: readonly string[];
  /** What its servers say of their use, for the system prompt: a part of it, or none. */
  readonly guidance: readonly string[];
  /** The way to a tool; for one of several servers, to the server that the arguments name. */
  find(name: string, args?: unknown): ToolRoute | undefined;
  /** Gives back the run's links. */
  close(): void;
}

export type RunIdentity = Pick<RunContext, "bearer" | "requestId" | "signal" | "asking" | "calledBy">;

export interface Tools {
  /** The tools of one run; a server that is down lends those last known. Rejects only when the run is aborted. */
  open(run: RunIdentity): Promise<Toolbox>;
  /** Why servers lend no tools, by name, as their links last saw it. Never rejects. */
  observeProblems(): Promise<ReadonlyMap<string, string>>;
  /** Closes the links that are kept between runs. */
  close(): Promise<void>;
}

export interface ToolsOptions {
  config: Pick<RunConfig, "agent" | "servers" | "agents" | "askUser">;
  sources: HeaderSources;
  /** Asked what is hidden from a run. */
  gate: Pick<PolicyGate, "observeHider">;
  log: Logger;
  clock: Clock;
  /** What the answers of all servers may hold together, beside others. */
  memory?: MemoryBudget | undefined;
  /** In place of the network. */
  openFetch?: OpenFetch;
}

/** Prepares the ways to all servers; connects to nothing yet. */
export function createTools(options: ToolsOptions): Tools {
  const { config, sources, clock } = options;
  const log = options.log.child({ logger: "pallas.tools" });
  const forwardLog = options.log.child({ logger: "pallas.forward.trace" });
  const openLink = (target: Pick<RunServer, "name" | "url"> & Addressee, askable: Askable, bearer?: string) =>
    createLink({
      name: target.name,
      url: target.url,
      headers: (refused) => observeHeaders(target, sources, { bearer, refused }),
      clientVersion: config.agent.version,
      askable,
      log: forwardLog,
      clock,
      openFetch: options.openFetch,
      memory: options.memory,
    });
  const pools = config.servers.map((server) => ({
    server,
    warnOfPatterns: createPatternWarning(server, log),
    pool: createAskableLinks((askable) =>
      forwardsBearer(server)
        ? createLinkPool({ open: (bearer) => openLink(server, askable, bearer), keyOf: (bearer) => bearer, clock })
        : createSharedLink(openLink(server, askable)),
    ),
  }));

  return {
    async open({ bearer, requestId, signal, asking, calledBy }) {
      const isShown = createIsShown(await options.gate.observeHider(), calledBy);
      const askable = asking?.can ?? notAskable;
      const leases: Lease[] = [];
      const release = () => leases.forEach((lease) => lease.release());
      const forwardedTo = (target: { name: string; headers?: readonly RunHeader[]; forwardInboundAuth: boolean }) => {
        if (bearer === undefined || !forwardsBearer(target)) return undefined;
        forwardLog.info({ server: target.name, requestId }, "forward.applied");
        return bearer;
      };
      const ofServers = pools.map(({ server, pool, warnOfPatterns }) => {
        const lease = pool.lease(forwardedTo(server), askable);
        leases.push(lease);
        return openServer(server, lease.link, { log, warnOfPatterns, isShown });
      });
      const ofAgents = config.agents.flatMap((agent) => {
        const link = openLink(agent, askable, forwardedTo(agent));
        leases.push({ link, release: () => void link.close() });
        return [renderSubAgentRoute(agent, link)].filter((route) => isRouteShown(route, isShown));
      });
      const ofCaller = renderCallerRoutes(config, askable);
      try {
        const servers = await untilAborted(Promise.all(ofServers), signal);
        const unavailable = servers.filter((server) => server.routes === undefined).map(({ name }) => name);
        const notes = servers.flatMap((server) => server.notes ?? []);
        const guidance = renderNotes(notes, log);
        const resources = createResourceRoutes(servers.flatMap((server) => server.readable ?? []));
        const toolbox = createToolbox({ first: [...ofCaller, ...ofAgents], servers, resources }, log);
        return { ...toolbox, unavailable, guidance, close: release };
      } catch (error) {
        release();
        throw error;
      }
    },
    observeProblems: () => observeAll(pools),
    close: async () => void (await Promise.all(pools.map(({ pool }) => pool.close()))),
  };
}

const renderCallerRoutes = ({ askUser, agent }: ToolsOptions["config"], { form }: Askable): ToolRoute[] =>
  askUser === true && form ? [renderAskUserRoute(agent.name)] : [];

async function observeAll(
  pools: readonly { server: RunServer; pool: Pick<LinkPool, "observeProblem"> }[],
): Promise<ReadonlyMap<string, string>> {
  const found = pools.map(async ({ server, pool }) => [server.name, (await pool.observeProblem())?.message] as const);
  return new Map(
    (await Promise.all(found)).flatMap(([name, problem]) => (problem === undefined ? [] : [[name, problem]])),
  );
}

/** One link for all runs, kept while the agent lives. What it could not do is tried again before it is said. */
const createSharedLink = (link: Link): LinkPool => ({
  lease: () => ({ link, release: () => undefined }),
  async observeProblem() {
    if (link.problem() !== undefined) await link.tools();
    return link.problem();
  },
  close: () => link.close(),
});

/** Says once per server which patterns fit no tool: a misspelt one would leave the agent without it in silence. */
function createPatternWarning(server: RunServer, log: Logger): (tools: readonly string[]) => void {
  let isDone = false;
  return (tools) => {
    if (isDone) return;
    isDone = true;
    const patterns = findUselessPatterns(tools, server);
    if (patterns.length === 0) return;
    log.warn(
      { server: server.name, patterns },
      "patterns in tools.allow or tools.deny match no tool of the server, correct them",
    );
  };
}

interface OpenServer {
  name: string;
  /** None at all while the server lends no tools. */
  routes?: readonly ToolRoute[];
  /** Where it is the gateway's registry. */
  registry?: RegistryRoutes;
  notes?: ServerGuidance;
  /** Where the server has resources that this agent may read. */
  readable?: ReadableServer;
}

interface OpenParts {
  log: Logger;
  warnOfPatterns: (tools: readonly string[]) => void;
  isShown: IsShown;
}

/** The routes to a server's tools that this agent may use, and what the server says of them. */
async function openServer(server: RunServer, link: Link, run: OpenParts): Promise<OpenServer> {
  const { log, warnOfPatterns, isShown } = run;
  const { name } = server;
  const tools = await link.tools();
  if (tools === undefined) return { name };
  // The gateway judges by the agent's rules.
  if (server.registry === true) {
    return { name, routes: [], registry: showRegistry(renderRegistry(server, link, tools), isShown) };
  }
  warnOfPatterns(tools.map((tool) => tool.name));
  const allowed = new Map(tools.filter((tool) => isToolAllowed(tool.name, server)).map((tool) => [tool.name, tool]));
  const left = allowed.size - maxToolsPerServer;
  if (left > 0) log.warn({ server: name, left }, "a server has more tools than are read, the last ones are left out");
  const { instructions: said, hasResources = false } = link.latest() ?? {};
  const isReadable = hasResources && isToolAllowed(resourcesRead, server) && isShown(judgedRead(name, {}));
  const routes = [...allowed.values()]
    .slice(0, maxToolsPerServer)
    .filter((tool) => isShown({ server: name, tool: tool.name, definition: tool }))
    .map((tool) => ({ ...renderServerRoute(server, tool, link), linksReadable: isReadable }));
  const text = server.instructions && (routes.length > 0 || isReadable) ? said : undefined;
  return {
    name,
    routes,
    ...(text === undefined ? {} : { notes: { server: name, prefix: server.prefix, text } }),
    ...(isReadable ? { readable: { server, link } } : {}),
  };
}

function renderNotes(notes: readonly ServerGuidance[], log: Logger): string[] {
  const { text, leftOut } = renderGuidance(notes);
  if (leftOut.length > 0) {
    log.warn({ servers: leftOut }, "instructions of servers left out, those of other servers use up the space");
  }
  return text === "" ? [] : [text];
}

function renderServerRoute(server: RunServer, tool: ToolDescription, link: Link): Omit<ToolRoute, "linksReadable"> {
  const prefix = `${server.name}/${tool.name}: `;
  const findNow = async () => (await link.tools())?.find(({ name }) => name === tool.name);
  return {
    name: renderToolName(server.prefix, tool.name),
    label: { server: server.name, tool: tool.name },
    downstream: server.name,
    operation: "tool",
    // Some vendors want one.
    description: [tool.description, tool.title].find((text) => (text ?? "").trim() !== "") ?? tool.name,
    inputSchema: tool.inputSchema,
    judged: (args) => ({
      call: { server: server.name, tool: tool.name, args, definition: tool, current: findNow },
      withArgs: (sent) => sent,
    }),
    renderProgress: ({ progress, total, message }) => ({
      message: `${prefix}${message ?? (total === undefined ? progress : `${progress}/${total}`)}`,
      done: false,
      fromAgent: false,
    }),
    async call(args, callOptions) {
      // The list was cut to the rules already; what counts is that nothing passes here.
      if (!isToolAllowed(tool.name, server)) {
        throw new McpError("protocol", `${tool.name} is not allowed to this agent`);
      }
      return await link.call(tool.name, args, { ...callOptions, idleTimeoutMs: server.timeoutMs });
    },
  };
}

/**
 * Agents, and the caller, are few and come first, as what finds all others does: where a model takes fewer tools than there are, the last ones are
 * left out. What the agent reaches itself, it reaches itself.
 */
function orderRoutes(
  first: readonly ToolRoute[],
  registry: RegistryRoutes | undefined,
  servers: readonly OpenServer[],
): ToolRoute[] {
  const own = [...first, ...(registry?.own ?? []), ...servers.flatMap((server) => server.routes ?? [])];
  const taken = new Set(own.map((route) => route.name));
  return [...own, ...(registry?.listed ?? []).filter((route) => !taken.has(route.name))];
}

interface ToolboxParts {
  /** To agents, and to the caller. */
  first: readonly ToolRoute[];
  servers: readonly OpenServer[];
  resources: ResourceRoutes | undefined;
}

function createToolbox({ first, servers, resources }: ToolboxParts, log: Logger): Pick<Toolbox, "tools" | "find"> {
  const registry = servers.find((server) => server.registry !== undefined)?.registry;
  const routes = orderRoutes(first, registry, servers);
  const byName = new Map<string, ToolRoute>();
  for (const route of [...(resources === undefined ? [] : [resources.shared]), ...routes]) {
    const { server, tool } = route.label;
    const name = byName.has(route.name) ? renderFreeName(route.name, server, tool) : route.name;
    if (byName.has(name)) log.warn({ tool, server }, "a tool is left out, its name is taken");
    else byName.set(name, name === route.name ? route : { ...route, name });
  }
  return {
    tools: [...byName.values()].map(({ name, description, inputSchema, label }) => ({
      name,
      description,
      inputSchema,
      source: label,
    })),
    find: (name, args) =>
      (name === readResourceName && resources?.find(args)) ||
      (registry?.name(name, args) ?? byName.get(name) ?? registry?.findCallable(name)),
  };
}
