// A gateway put together from its configuration: what it serves on its two ports, without the ports. Everything it is made
// of gets what it needs as an argument; two of them in one process share nothing.
import type { Hono } from "hono";
import type { GatewayConfig } from "../crds/gateway-config.ts";
import type { ApiServerReader } from "../lib/auth/cluster-issuer.ts";
import { createDrain, type Drain } from "../lib/mcp/drain.ts";
import { serveMcp } from "../lib/mcp/serve.ts";
import type { McpTable } from "../lib/mcp/table.ts";
import type { Clock } from "../lib/process/clock.ts";
import { defined } from "../lib/process/defined.ts";
import type { Logger } from "../lib/process/log.ts";
import { createAdminApp, createApp } from "./app.ts";
import { createCallers } from "./callers.ts";
import { renderAllowedHosts } from "./hosts.ts";
import { createInFlight } from "../lib/mcp/in-flight.ts";
import type { KeptSessions } from "./kept-sessions.ts";
import type { GatewayMetrics, Observed } from "./metrics.ts";
import type { GatewayRoutes } from "./name-caller.ts";
import type { StateSource } from "./state/state.ts";

const sessions = { idleTtlMs: 60 * 60_000, max: 1_024 };

export interface GatewayOptions {
  config: GatewayConfig;
  state: StateSource;
  /** What /mcp offers; its callers are Identities. */
  table: McpTable;
  /** Further routes for callers who were named. */
  routes: readonly Hono<GatewayRoutes>[];
  /** The page that people use. */
  dashboard?: Hono;
  /** For before callers are named; it passes on what it leaves. */
  publicReads?: Hono<GatewayRoutes>;
  /** Closed with the gateway. */
  keptSessions: KeptSessions;
  /** Of token tables. */
  secretsDir: string;
  podIp?: string | undefined;
  /** Absent where there is no cluster. */
  server?: ApiServerReader | undefined;
  metrics: GatewayMetrics;
  /** Called at the first moment of draining. */
  onDraining: () => void;
  log: Logger;
  clock: Clock;
}

export interface Gateway extends Omit<Observed, "observeApprovals"> {
  app: Hono<GatewayRoutes>;
  adminApp: Hono;
  drain: Drain;
  /** Ends sessions and streams, aborts running calls. */
  close(): Promise<void>;
}

/** A gateway that listens nowhere yet. Throws on a malformed entry of the allow-lists. */
export function createGateway(options: GatewayOptions): Gateway {
  const { config, state, table, routes, keptSessions, secretsDir, podIp, server, metrics, onDraining } = options;
  const { log, clock } = options;
  const findAgent = state.findAgent.bind(state);
  const callers = createCallers({ config, secretsDir, server, findAgent, clock, log });
  const endpoint = serveMcp(table, {
    log: log.child({ logger: "pallas.mcp" }),
    bodyLimitBytes: config.http.bodyLimitBytes,
    callers: "named",
    sessions,
    // Whose a session is, its id says, in this process and the next.
    isResumable: async (id) => keptSessions.isKnown(id),
    onSessionOpen: keptSessions.add,
    onSessionDelete: async (id) => keptSessions.forget(id),
    keptSubscriptions: keptSessions,
    clock,
  });
  const inFlight = createInFlight();
  const drain = createDrain({
    program: "the gateway",
    calls: { ...inFlight, abortAll: () => void endpoint.close() },
    onBegin: onDraining,
    log,
    clock,
  });
  const observeUnready = () => state.observeUnready();
  const allowedHosts = renderAllowedHosts(config, podIp);
  const app = createApp({
    allowedHosts,
    allowedOrigins: config.http.allowedOrigins,
    authenticate: callers.authenticate,
    config,
    observeUnready,
    drain,
    inFlight,
    management: endpoint.app,
    others: routes,
    ...defined({ publicReads: options.publicReads, dashboard: options.dashboard }),
    metrics,
    log: log.child({ logger: "pallas.gateway.http" }),
    clock,
  });
  const ready = () => (drain.isDraining() ? "the gateway is shutting down" : observeUnready());
  return {
    app,
    adminApp: createAdminApp({ allowedHosts, ready, metrics }),
    drain,
    countSessions: endpoint.sessionCount,
    countInFlight: inFlight.count,
    countTroubles: () => callers.observeTroubles().length,
    async close() {
      await Promise.all([endpoint.close(), callers.close()]);
      await keptSessions.close();
    },
  };
}
