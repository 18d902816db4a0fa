// Discovery over real HTTP for tests: a scene of tool servers with the `registry` tool on /mcp and alone on /registry/mcp, for callers who
// say who they are in a header, and clients of both eras.
import { onTestFinished } from "vitest";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { listen } from "../../lib/process/http-server.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { createPublishedActions } from "../discovery/actions/published.ts";
import { createDiscovery, type Discovery, type DiscoveryParts } from "../discovery/discovery.ts";
import type { ReportedTools } from "../discovery/reported-tools.ts";
import { serveRegistry } from "../discovery/serve.ts";
import { createToolSource } from "../management/tools/source.ts";
import { openServerScene, type SceneOptions, type ServerScene } from "./server-scene.ts";
import { testConfig } from "./resources.ts";
import { toolClients, type ToolClient } from "./tool-clients.ts";

export interface DiscoveryScene extends ServerScene {
  discovery: Discovery;
  url: string;
  /** What agents say of their own servers. */
  report(reports: readonly ReportedTools[]): void;
  /** Messages to agents: who asked whom, and what. */
  prompted: unknown[];
  connect(era: "2025" | "2026", caller: string, path?: string): Promise<ToolClient>;
  /** One action, by a client of the 2026 era. */
  act(caller: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** One action without HTTP, for many of them. */
  actNow(identity: Identity, args: Record<string, unknown>): Promise<ToolResult>;
}

export interface DiscoverySceneOptions extends SceneOptions {
  mayStart?: boolean;
  pinnedTools?: string[];
  words?: DiscoveryParts["words"];
  embeddings?: GatewayConfig["embeddings"];
  secretsDir?: string;
}

export async function openDiscoveryScene(options: DiscoverySceneOptions = {}): Promise<DiscoveryScene> {
  const {
    clock = systemClock,
    mayStart = true,
    words,
    pinnedTools,
    embeddings,
    secretsDir = "/nowhere",
    ...sceneOptions
  } = options;
  const scene = openServerScene({ ...sceneOptions, clock });
  const { policy, state, servers, writesFor, log, app } = scene;
  const reports = createReports();
  const prompted: unknown[] = [];
  const config = testConfig(defined({ pinnedTools, embeddings }));
  const discovery = createDiscovery({
    config,
    policy,
    state,
    servers,
    agentTools: reports,
    async promptAgent(args, { subject }) {
      prompted.push({ subject, ...args });
      return { content: [{ type: "text", text: `asked ${String(args["agent_id"])}` }] };
    },
    callForwarding: async () => {
      throw new Error("no server of this scene forwards");
    },
    writesFor,
    furtherActions: createPublishedActions(scene),
    mayStart,
    words,
    secretsDir,
    metrics: {
      countRegistryAction: () => undefined,
      countFound: () => undefined,
      setIndexed: () => undefined,
      countEmbeddingsRequest: () => undefined,
      setEmbeddings: () => undefined,
    },
    log,
    clock,
  });
  const registry = serveRegistry({ config, state, discovery, log, clock });
  const tools = discovery.withServerTools(createToolSource([discovery.tool], false));
  const table = { server: { name: "test", version: "1" }, tools, prompts: [] };
  const sessions = { idleTtlMs: 60_000, max: 100 };
  const endpoint = serveMcp(table, { log, bodyLimitBytes: 4_000_000, callers: "named", sessions, clock });
  app.route("/", registry.routes);
  app.route("/", endpoint.app);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const open: ToolClient[] = [];
  const connect = async (era: "2025" | "2026", caller: string, path = "/mcp") => {
    const found = toolClients.find((each) => each.era === era);
    if (found === undefined) throw new Error(`expected a client of the era ${era}`);
    const client = await found.connect(`${server.url}${path}`, { "x-caller": caller });
    open.push(client);
    return client;
  };
  const acting = new Map<string, Promise<ToolClient>>();
  onTestFinished(async () => {
    await Promise.all(open.map((client) => client.close()));
    await Promise.all([discovery.close(), endpoint.close(), registry.close()]);
    await server.close({ graceMs: 0 });
  });
  return {
    ...scene,
    discovery,
    url: server.url,
    report: reports.set,
    prompted,
    connect,
    async act(caller, args) {
      // One for each caller: a test that asks again and again would have too many streams open.
      const connected = acting.get(caller) ?? connect("2026", caller);
      acting.set(caller, connected);
      const client = await connected;
      const { structuredContent, content } = await client.call("registry", args);
      if (structuredContent === undefined) throw new Error(`expected a structure, found ${JSON.stringify(content)}`);
      return structuredContent;
    },
    actNow: async (identity, args) =>
      await discovery.tool.call(args, identity, {
        era: "2026",
        requestId: "1",
        signal: new AbortController().signal,
        caller: identity,
        meta: {},
      }),
  };
}

function createReports() {
  let all: readonly ReportedTools[] = [];
  const listeners = new Set<() => void>();
  return {
    list: () => all,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(reports: readonly ReportedTools[]) {
      all = reports;
      for (const listener of [...listeners]) listener();
    },
  };
}
