// What an agent serves to the gateway of its instance alone, on its admin port: its calls in flight, the conversations of a caller,
// its servers in one place, and the tools of those that the gateway cannot ask.
import { Hono } from "hono";
import { conversationsPath } from "../crds/conversations.ts";
import { compositorPath } from "../crds/names.ts";
import type { ToolDescription } from "../lib/mcp/connect.ts";
import type { McpVariables } from "../lib/mcp/serve.ts";
import { createAdminRuns } from "./admin-runs.ts";
import type { Calls } from "./calls.ts";
import { createConversationRoutes, type ConversationRoutesParts } from "./conversation-routes.ts";
import { createCompositor, type CompositorParts } from "./compositor/compositor.ts";
import type { Mount } from "./compositor/mounts.ts";
import type { PolicyGate } from "./policy/gate.ts";
import { judgedPath } from "../crds/judged-calls.ts";
import type { JudgedRing } from "../lib/policy/judged-ring.ts";
import { createJudgedRoutes } from "./policy/judged-routes.ts";
import { requireGateway } from "./require-gateway.ts";
import { createToolReports } from "./tool-reports.ts";

export interface GatewayRoutes {
  app: Hono<McpVariables>;
  /** Ends sessions and links of the compositor. */
  close(): Promise<void>;
}

export interface GatewayRoutesParts extends CompositorParts {
  config: CompositorParts["config"] & ConversationRoutesParts["config"];
  calls: Calls;
  sessions: ConversationRoutesParts["sessions"];
  /** Of its policy; absent: it has none. */
  ring?: JudgedRing | undefined;
}

export function createGatewayRoutes(parts: GatewayRoutesParts): GatewayRoutes {
  const { calls, sessions, config, gate, ring, memory, log } = parts;
  const compositor = createCompositor(parts);
  const guard = requireGateway(parts);
  const app = new Hono<McpVariables>();
  const guarded = ["/runs", "/runs/*", "/servers/*", judgedPath, conversationsPath, `${compositorPath}/*`];
  for (const path of guarded) app.use(path, guard);
  app.route("/", createAdminRuns({ agent: config.agent.name, calls, log: log.child({ logger: "pallas.admin" }) }));
  const mounts = compositor.mounts.map((mount) => ({ ...mount, tools: () => listForAnybody(mount, gate) }));
  const reports = { agent: config.agent.name, mounts, clock: parts.clock };
  app.route("/", createToolReports({ ...reports, log: log.child({ logger: "pallas.admin" }) }));
  app.route("/", createConversationRoutes({ config, sessions, memory }));
  if (ring !== undefined) app.route("/", createJudgedRoutes({ agent: config.agent.name, ring, memory }));
  app.route("/", compositor.app);
  return { app, close: compositor.close };
}

/** Who will ask for a tool is not known here: what is denied to some only is told, and judged when it is called. */
async function listForAnybody({ server, tools }: Mount, gate: PolicyGate): Promise<readonly ToolDescription[]> {
  const hider = await gate.observeHider();
  const all = await tools();
  if (hider === undefined) return all;
  return all.filter(({ name, annotations }) => !hider({ server: server.name, tool: name, annotations }));
}
