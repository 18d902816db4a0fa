// The `registry` tool alone, at an endpoint of its own in both eras: for people who want that tool and no other of the management server,
// and for agents that were given it, since an agent's `/mcp` is its compositor.
import { Hono, type MiddlewareHandler } from "hono";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { registryMcpPath, registryServerName } from "../../crds/names.ts";
import { requireRole } from "../../lib/auth/roles.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { createToolSource } from "../management/tools/source.ts";
import { renderRefusal, type GatewayRoutes } from "../name-caller.ts";
import type { GatewayState } from "../state/state.ts";
import type { Discovery } from "./discovery.ts";
import { findGrant } from "./may-call.ts";

const registryPath = registryMcpPath.replace(/\/mcp$/, "");
const sessions = { idleTtlMs: 60 * 60_000, max: 1_024 };

export interface ServedRegistryParts {
  config: Pick<GatewayConfig, "instance" | "http">;
  state: Pick<GatewayState, "getServer" | "getAgent">;
  discovery: Pick<Discovery, "tool" | "withServerTools">;
  log: Logger;
  clock: Clock;
}

export interface ServedRegistry {
  routes: Hono<GatewayRoutes>;
  close(): Promise<void>;
}

export function serveRegistry({ config, state, discovery, log, clock }: ServedRegistryParts): ServedRegistry {
  const { name, version } = config.instance;
  const table = {
    server: { name: "pallas-registry", title: `Tools of ${name}`, version },
    instructions: "Find the tool that you need with the tool registry, and call it.",
    tools: discovery.withServerTools(createToolSource([discovery.tool], false)),
    prompts: [],
  };
  const { bodyLimitBytes } = config.http;
  const endpoint = serveMcp(table, { log, bodyLimitBytes, callers: "named", sessions, clock });
  const routes = new Hono<GatewayRoutes>();
  routes.use(`${registryPath}/*`, letIn(state));
  routes.route(registryPath, endpoint.app);
  return { routes, close: () => endpoint.close() };
}

/** People with a role, and agents that name the gateway's tool among their servers. */
const letIn = (state: Pick<GatewayState, "getServer" | "getAgent">): MiddlewareHandler<GatewayRoutes> =>
  async function registryGate(c, next) {
    const caller = c.get("caller");
    const refusal = caller.kind === "person" ? requireRole(caller, "viewer") : refuseAgent(caller.agent, state);
    if (refusal !== undefined) return renderRefusal(refusal);
    await next();
    return undefined;
  };

function refuseAgent(agent: string, state: Pick<GatewayState, "getServer" | "getAgent">) {
  if (findGrant(agent, state) !== undefined) return undefined;
  const isTaken = state.getServer(registryServerName) !== undefined;
  const message = isTaken
    ? `this instance has a server "${registryServerName}" of its own: agents that use that name reach that server`
    : `agent "${agent}" was not given the registry: add { name: ${registryServerName} } to its spec.servers`;
  return { kind: "refused" as const, status: 403 as const, message, headers: {} };
}
