// The tool servers of an instance as a gateway serves them, put together from what it knows and from where it runs: REST, the tester,
// the WebSocket, and what is written of their tools. What else is made of them takes `servers` and `calls` from here.
import type { Hono } from "hono";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Rules } from "../../plan/rules.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Browser } from "../discovery/browse/browser.ts";
import { createFeed } from "../feed/feed.ts";
import { createCallResources } from "../management/resources/calls.ts";
import type { ResourceFamily } from "../management/resources/family.ts";
import { createServerList } from "../management/resources/servers.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import type { Place } from "../place.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import { CallLog } from "../servers/call-log.ts";
import { CallTrend } from "../servers/call-trend.ts";
import { keepToolStatus } from "../servers/tool-status.ts";
import { createErrorLogReader } from "../servers/error-log.ts";
import { createToolServers, type ToolServers } from "../servers/tool-servers.ts";
import { createInstanceTester } from "../tester/instance-tester.ts";
import type { Tester } from "../tester/tester.ts";
import { clusterPrereqs, findPrograms } from "./prereqs.ts";
import { createRestApp } from "./routes.ts";
import { createServerWrites, type ServerWrites } from "./server-writes.ts";

export interface ServedServersParts {
  policy: GatewayPolicy;
  config: Pick<GatewayConfig, "instance" | "management" | "log" | "approvals">;
  place: Pick<Place, "state" | "writesFor" | "writeToolStatus">;
  rules: Rules;
  browser: Browser;
  metrics: Pick<GatewayMetrics, "countToolCall">;
  approvals: Pick<Approvals, "list" | "onChange">;
  log: Logger;
  clock: Clock;
}

export interface ServedServers extends Pick<Tester, "callTool"> {
  servers: ToolServers;
  calls: CallLog;
  /** What went through, by the hour; messages to agents are counted by whoever sends them. */
  trend: CallTrend;
  serverWrites: ServerWrites;
  /** For the management table. */
  resources: readonly ResourceFamily[];
  routes: Hono<GatewayRoutes>[];
  close(): Promise<void>;
}

export function serveToolServers(parts: ServedServersParts): ServedServers {
  const { policy, config, place, rules, browser, metrics, approvals, log, clock } = parts;
  const { state, writesFor, writeToolStatus } = place;
  const { version } = config.instance;
  const calls = new CallLog({ arguments: config.log?.arguments ?? "off" });
  const trend = new CallTrend(clock);
  const servers = createToolServers({ state, calls, metrics, trend, version, log, clock });
  const { management } = config;
  const tested = { policy, servers, calls, state, writesFor, management, mode: rules.mode };
  const tester = createInstanceTester({ ...tested, version, log, clock });
  const isCluster = rules.mode === "cluster";
  const serverWrites = createServerWrites({ state, writesFor, rules });
  const rest = createRestApp({
    policy,
    servers,
    calls,
    callTool: tester.callTool,
    writesFor,
    serverWrites,
    browser,
    readErrorLog: createErrorLogReader(state),
    observePrereqs: async () => (isCluster ? clusterPrereqs : await findPrograms(process.env["PATH"] ?? "")),
    version,
    log,
    clock,
  });
  const feed = createFeed({ policy, servers, calls, version, clock });
  const stopStatus = writeToolStatus && keepToolStatus({ servers, write: writeToolStatus, log, clock });
  return {
    servers,
    calls,
    trend,
    serverWrites,
    resources: [
      createServerList({ servers, state, trend, clock }),
      ...createCallResources({ trend, calls, approvals, timeoutMs: config.approvals.timeoutMs, state, clock }),
    ],
    callTool: tester.callTool,
    routes: [rest, tester.routes, feed.app],
    async close() {
      stopStatus?.();
      feed.close();
      await Promise.all([tester.close(), servers.close()]);
    },
  };
}
