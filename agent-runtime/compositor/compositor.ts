// The second MCP endpoint of an agent (MGM-4): its servers in one place, for whoever holds the agent's own token, which the
// gateway has judged. Who mounts it lets nobody in but the gateway.
import { Hono } from "hono";
import { compositorPath } from "../../crds/names.ts";
import { nameGatewayCaller, proveGatewayCaller } from "../../lib/auth/gateway-caller.ts";
import { serveMcp, type McpEndpoint, type McpVariables } from "../../lib/mcp/serve.ts";
import type { IsFor } from "../../lib/mcp/table.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import type { ReadLiveConfig } from "../inputs/live-config.ts";
import type { PolicyGate } from "../policy/gate.ts";
import { createGatewayProof } from "../require-gateway.ts";
import { createAuthorizer } from "./authorize.ts";
import { createCountCall, type OnCall } from "./count-call.ts";
import { createMountedResources, statePrefix } from "./mounted-resources.ts";
import { createMountedTools } from "./mounted-tools.ts";
import { createMount, type Mount, type MountParts } from "./mounts.ts";
import { mountUri } from "./mounted-uris.ts";
import { watchPolicy } from "./policy-watch.ts";

export interface CompositorParts extends MountParts {
  config: Pick<RunConfig, "agent" | "servers" | "limits" | "http" | "gateway">;
  memory: MemoryBudget;
  gate: PolicyGate;
  readLive: ReadLiveConfig;
  onCall: OnCall;
}

export interface Compositor {
  app: Hono<McpVariables>;
  readonly mounts: readonly Mount[];
  close(): Promise<void>;
}

const sessionLimits = { idleTtlMs: 30 * 60_000, max: 64 };

export function createCompositor(parts: CompositorParts): Compositor {
  const { config, memory, gate, readLive, clock } = parts;
  const log = parts.log.child({ logger: "pallas.compositor" });
  const onTools = new Set<(isFor?: IsFor) => void>();
  // Whoever asks here has the agent's own token, which the gateway takes for its registry too.
  const servers = config.servers.filter(({ registry }) => registry !== true);
  const mounts = servers.map((server) =>
    createMount(
      server,
      { ...parts, log },
      {
        onToolsChanged: () => onTools.forEach((tell) => tell()),
        onStateChanged: (name) => resources.announce({ uri: `${statePrefix}${name}` }),
        onResourceChange: (name, change) =>
          resources.announce("uri" in change ? { uri: mountUri(name, change.uri) } : change),
      },
    ),
  );
  const countCall = createCountCall(parts.onCall, parts.clock);
  const callTimeoutMs = config.limits.wallClockMs;
  const authorizer = createAuthorizer({ agent: config.agent.name, gate, clock });
  const resources = createMountedResources({ mounts, authorizer, countCall, callTimeoutMs, log });
  const tools = createMountedTools({ mounts, authorizer, countCall, memory, callTimeoutMs, clock });
  const watch = watchPolicy(readLive, clock, () => {
    onTools.forEach((tell) => tell());
    resources.announce({ list: true });
  });
  const endpoint: McpEndpoint = serveMcp(
    {
      server: { name: `${config.agent.name}-compositor`, version: config.agent.version },
      tools: {
        ...tools,
        async list(requester) {
          await watch.look();
          return await tools.list(requester);
        },
        follow: watch.follow,
        changes(onChanged) {
          onTools.add(onChanged);
          return () => void onTools.delete(onChanged);
        },
      },
      prompts: [],
      resources,
    },
    { log, bodyLimitBytes: config.http.bodyLimitBytes, bodyBudget: memory, callers: "either", sessions: sessionLimits },
  );
  const app = new Hono<McpVariables>();
  app.use(`${compositorPath}/*`, nameGatewayCaller, proveGatewayCaller(createGatewayProof({ readLive, clock })));
  app.route(compositorPath, endpoint.app);
  return {
    app,
    mounts,
    async close() {
      watch.close();
      await endpoint.close();
      await Promise.all(mounts.map((mount) => mount.close()));
    },
  };
}
