// What a gateway serves to callers who were named: the management server, the way to agents, tool servers, and the directory. Put together here from its
// configuration and from where it runs.
import { readFile } from "node:fs/promises";
import type { GatewayConfig } from "../crds/gateway-config.ts";
import type { Clock } from "../lib/process/clock.ts";
import { defined } from "../lib/process/defined.ts";
import type { Logger } from "../lib/process/log.ts";
import { runInTurns } from "../lib/process/steps.ts";
import type { WordTable } from "../lib/search/searchable.ts";
import { limitsVariable, type Rules } from "../plan/rules.ts";
import type { ServedApprovals } from "./approvals/life.ts";
import { serveApprovals } from "./approvals/serve.ts";
import type { PendingApprovals } from "./approvals/tally.ts";
import { serveDirectory } from "./directory/serve.ts";
import { createPublishedActions } from "./discovery/actions/published.ts";
import { AgentToolsFeed } from "./discovery/agent-tools.ts";
import { createConfiguredBrowser } from "./discovery/browse/configured.ts";
import { createDiscovery, type DiscoveryParts } from "./discovery/discovery.ts";
import { serveRegistry } from "./discovery/serve.ts";
import type { Environment } from "./environment.ts";
import type { GatewayOptions } from "./gateway.ts";
import { createAdminClient } from "./management/agents/admin-client.ts";
import { createManagementTable } from "./management/table.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { Place } from "./place.ts";
import { createGatewayPolicy } from "./policy/gateway-policy.ts";
import { createProxy } from "./proxy/proxy.ts";
import { serveToolServers } from "./rest/serve.ts";

/** The longest that spec.limits.wallClock may be: agents end their calls themselves. */
const callTimeoutMs = 24 * 60 * 60_000;

export interface ServedParts {
  config: GatewayConfig;
  place: Pick<
    Place,
    "state" | "writesFor" | "registrations" | "approvals" | "proposals" | "writeToolStatus" | "server"
  >;
  environment: Pick<Environment, "PALLAS_AGENTS_TOKEN" | "PALLAS_IMAGE" | "PALLAS_SECRETS_DIR" | typeof limitsVariable>;
  /** Of the search for tools; undefined where it goes by words alone. */
  words: WordTable | undefined;
  /** Approvals as a page for hosts of MCP Apps; undefined where none was built. */
  approvalsApp: string | undefined;
  metrics: Pick<GatewayMetrics, "countPolicyDecision" | "countProxied" | "countToolCall" | "countApproval"> &
    DiscoveryParts["metrics"];
  log: Logger;
  clock: Clock;
}

export interface Served extends Pick<GatewayOptions, "table" | "routes" | "publicReads"> {
  approvals: ServedApprovals;
  observeApprovals(): PendingApprovals;
  /** Ends what agents take up again elsewhere. */
  onDraining(): void;
  /** Ends what still goes on with agents. */
  close(): Promise<void>;
}

/** By which calls are judged; `approvals` where it asks. */
function createPolicy(parts: Omit<ServedParts, "environment" | "words" | "approvalsApp">, approvals: ServedApprovals) {
  const { config, place, metrics, log, clock } = parts;
  const policyLog = log.child({ logger: "pallas.gateway.policy" });
  return createGatewayPolicy({ config, state: place.state, approvals, metrics, log: policyLog, clock });
}

/** Where programs that are started on this machine run. */
const findHere = () => ({ variables: process.env, folder: process.cwd(), execPath: process.execPath });

export function createServed(parts: ServedParts): Served {
  const { config, place, environment, words, approvalsApp, metrics, log, clock } = parts;
  const { state, writesFor, registrations, server } = place;
  const rules: Rules = { mode: server === undefined ? "local" : "cluster", ...environment[limitsVariable] };
  const readAgentsToken = async () => (await readFile(environment.PALLAS_AGENTS_TOKEN, "utf8")).trim();
  const container = { version: config.instance.version, ...defined({ image: environment.PALLAS_IMAGE }) };
  const asked = serveApprovals({ config, state, store: place.approvals, metrics, log, clock });
  const policy = createPolicy({ config, place, metrics, log, clock }, asked.approvals);
  const directory = serveDirectory({
    ...{ config, state, store: registrations, clock },
    log: log.child({ logger: "pallas.gateway.directory" }),
  });
  const browser = createConfiguredBrowser({ config, mode: rules.mode, place: findHere(), clock });
  const toolServers = serveToolServers({
    ...{ policy, config, place, rules, browser, metrics, approvals: asked.approvals },
    log: log.child({ logger: "pallas.gateway.servers" }),
    clock,
  });
  const { servers, serverWrites, trend } = toolServers;
  const discoveryLog = log.child({ logger: "pallas.gateway.discovery" });
  const admin = createAdminClient({ state, readAgentsToken });
  const agentTools = new AgentToolsFeed({ state, admin, log: discoveryLog, clock });
  const discovery = createDiscovery({
    ...{ config, policy, state, servers, agentTools },
    promptAgent: (args, identity, context) => table.promptAgent(args, identity, context),
    callForwarding: toolServers.callTool,
    writesFor,
    words,
    secretsDir: environment.PALLAS_SECRETS_DIR,
    furtherActions: createPublishedActions({ browser, servers, serverWrites }),
    mayStart: config.management === "readWrite" && rules.mode === "cluster",
    metrics,
    log: discoveryLog,
    clock,
  });
  const registry = serveRegistry({ config, state, discovery, log: discoveryLog, clock });
  const table = createManagementTable({
    ...{ policy, state, rules, container, approvals: asked.approvals, proposals: place.proposals },
    ...{ presets: state.presets, judgedHere: (tried) => runInTurns(policy.ring.dryRun(tried)) },
    ...(config.management === "readWrite" ? { writesFor } : {}),
    furtherTools: [...directory.tools, discovery.tool],
    furtherResources: [...directory.resources, ...toolServers.resources],
    ...{ approvalsApp, trend, readAgentsToken },
    log: log.child({ logger: "pallas.gateway.management" }),
    clock,
  });
  const proxy = createProxy({
    ...{ policy, agents: state, readAgentsToken },
    issuer: config.jwt?.issuer,
    maxBodyBytes: config.http.bodyLimitBytes,
    callTimeoutMs,
    ...{ onEnd: metrics.countProxied, onMessage: (message) => trend.countMessage(message), onTalk: table.noteTalk },
    log: log.child({ logger: "pallas.gateway.proxy" }),
    clock,
  });
  return {
    table: { ...table, tools: discovery.withServerTools(table.tools) },
    routes: [asked.routes, proxy.app, ...toolServers.routes, directory.routes, registry.routes],
    ...defined({ publicReads: directory.publicReads }),
    approvals: asked.approvals,
    observeApprovals: asked.approvals.observe,
    onDraining: asked.onDraining,
    async close() {
      agentTools.close();
      policy.close();
      const served = [asked, discovery, table, proxy, directory, registry, toolServers, browser];
      await Promise.all(served.map((each) => each.close()));
    },
  };
}
