// All tools of one run: those of its servers and its sub-agents, under the names the model uses. Links to servers that get
// no caller's token are shared by all runs; the others are opened for the run and closed with it (BRR-2).
import type { RunConfig, RunServer } from "../../crds/run-config.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import type { Logger } from "../../lib/process/log.ts";
import { untilAborted, type Clock } from "../clock.ts";
import type { RunContext } from "../loop/run-context.ts";
import type { ModelTool } from "../model/types.ts";
import { forwardsBearer, observeHeaders, type ReadSecret } from "./headers.ts";
import { createLink, type Link } from "./link.ts";
import { isToolAllowed, renderToolName } from "./naming.ts";
import type { ToolRoute } from "./route.ts";
import { renderSubAgentRoute } from "./sub-agents.ts";

/** More tools of one server than any model could be shown; the rest is left out. */
const toolsPerServerMax = 512;

export interface Toolbox {
  readonly tools: readonly ModelTool[];
  find(name: string): ToolRoute | undefined;
  /** Closes the run's own links. */
  close(): Promise<void>;
}

export type RunIdentity = Pick<RunContext, "bearer" | "requestId" | "signal">;

export interface Tools {
  /** The tools of one run; a server that is down lends those last known. Rejects only when the run is aborted. */
  open(run: RunIdentity): Promise<Toolbox>;
  /** Closes the shared links. */
  close(): Promise<void>;
}

export interface ToolsOptions {
  config: Pick<RunConfig, "agent" | "servers" | "agents">;
  readSecret: ReadSecret;
  log: Logger;
  clock: Clock;
}

/** Prepares the shared links; connects to nothing yet. */
export function createTools(options: ToolsOptions): Tools {
  const { config, readSecret, clock } = options;
  const log = options.log.child({ logger: "pallas.tools" });
  const forwardLog = options.log.child({ logger: "pallas.forward.trace" });
  const openLink = (target: Pick<RunServer, "name" | "url"> & Partial<Pick<RunServer, "headers">>, bearer?: string) =>
    createLink({
      name: target.name,
      url: target.url,
      headers: () => observeHeaders(target.headers ?? [], readSecret, bearer),
      clientVersion: config.agent.version,
      log,
      clock,
    });
  const shared = new Map(
    config.servers.filter((server) => !forwardsBearer(server)).map((server) => [server.name, openLink(server)]),
  );

  return {
    async open({ bearer, requestId, signal }) {
      const own: Link[] = [];
      const openOwn = (target: Parameters<typeof openLink>[0] & { forwardInboundAuth: boolean }) => {
        const forwarded = forwardsBearer(target) ? bearer : undefined;
        if (forwarded !== undefined) forwardLog.info({ server: target.name, requestId }, "forward.applied");
        const link = openLink(target, forwarded);
        own.push(link);
        return link;
      };
      const close = async () => void (await Promise.all(own.map((link) => link.close())));
      const ofServers = config.servers.map((server) => openServer(server, shared.get(server.name) ?? openOwn(server)));
      const ofAgents = config.agents.map((agent) => renderSubAgentRoute(agent, openOwn(agent)));
      try {
        const routes = [...(await untilAborted(Promise.all(ofServers), signal)).flat(), ...ofAgents];
        return createToolbox(routes, log, close);
      } catch (error) {
        void close();
        throw error;
      }
    },
    close: async () => void (await Promise.all([...shared.values()].map((link) => link.close()))),
  };
}

/** The routes to a server's tools that this agent may use. */
async function openServer(server: RunServer, link: Link): Promise<ToolRoute[]> {
  const tools = await link.tools();
  return tools
    .filter((tool) => isToolAllowed(tool.name, server))
    .slice(0, toolsPerServerMax)
    .map((tool) => renderServerRoute(server, tool, link));
}

function renderServerRoute(server: RunServer, tool: ToolDescription, link: Link): ToolRoute {
  const prefix = `${server.name}/${tool.name}: `;
  return {
    name: renderToolName(server.prefix, tool.name),
    label: { server: server.name, tool: tool.name },
    downstream: server.name,
    description: tool.description ?? tool.title ?? "",
    inputSchema: tool.inputSchema,
    renderProgress: ({ progress, total, message }) => ({
      message: `${prefix}${message ?? (total === undefined ? progress : `${progress}/${total}`)}`,
      done: false,
      fromAgent: false,
    }),
    call: (args, callOptions) => link.call(tool.name, args, { ...callOptions, idleTimeoutMs: server.timeoutMs }),
  };
}

function createToolbox(routes: readonly ToolRoute[], log: Logger, close: () => Promise<void>): Toolbox {
  const byName = new Map<string, ToolRoute>();
  for (const route of routes) {
    if (byName.has(route.name))
      log.warn({ tool: route.name, server: route.downstream }, "tool left out, its name is taken");
    else byName.set(route.name, route);
  }
  return {
    tools: [...byName.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    find: (name) => byName.get(name),
    close,
  };
}
