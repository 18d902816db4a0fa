// Discovery of an instance (DSC-1…5), put together from what the gateway knows of its servers and agents: the index and what feeds it, the
// `registry` tool with its actions, and the tools of servers in lists.
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { ToolSource } from "../../lib/mcp/table.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { WordTable } from "../../lib/search/searchable.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import { readHints } from "../../lib/approvals/called-tool.ts";
import type { ManagementTool } from "../management/tools/tool.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { createActivation } from "../servers/activation.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import type { GatewayState, WritesFor } from "../state/state.ts";
import type { Tester } from "../tester/tester.ts";
import type { RegistryAction } from "./action.ts";
import { createFindActions } from "./actions/find-tool.ts";
import { createGetSchema } from "./actions/get-schema.ts";
import { createProxyCall } from "./actions/proxy-call.ts";
import { createServerActions } from "./actions/servers.ts";
import { createCallTool } from "./call-tool.ts";
import { createSuggest } from "./did-you-mean.ts";
import { createToolSearch, type ToolSearchParts } from "./embeddings/create-search.ts";
import { createFinder } from "./finder.ts";
import { feedIndex } from "./index-feed.ts";
import { KnownTools } from "./known-tools.ts";
import { createListedTools } from "./listed-tools.ts";
import { createMayCall, type MayCall } from "./may-call.ts";
import { createReach } from "./reach.ts";
import type { AgentTools } from "./reported-tools.ts";
import { createRegistryTool } from "./registry-tool.ts";
import { ShownTools } from "./shown-tools.ts";

export interface DiscoveryParts {
  policy: GatewayPolicy;
  config: Pick<GatewayConfig, "pinnedTools" | "embeddings">;
  state: Pick<GatewayState, "getServer" | "getAgent" | "listAgents" | "onChange">;
  servers: ToolServers;
  agentTools: AgentTools;
  /** What agents_prompt does. */
  promptAgent: ManagementTool["call"];
  callForwarding: Tester["callTool"];
  writesFor: WritesFor;
  /** Whether it starts servers for calls of their tools. */
  mayStart: boolean;
  /** Absent: a search goes by words alone. */
  words?: WordTable | undefined;
  /** Of the key of an endpoint of embeddings. */
  secretsDir: string;
  /** Beside those of this folder. */
  furtherActions?: readonly RegistryAction[];
  metrics: Pick<GatewayMetrics, "countRegistryAction" | "countFound" | "setIndexed"> & ToolSearchParts["metrics"];
  log: Logger;
  clock: Clock;
}

export interface Discovery {
  tool: ManagementTool;
  mayCall: MayCall;
  /** A table's tools, and after them those of servers that its callers have in their lists; others are called by name. */
  withServerTools(base: ToolSource): ToolSource;
  /** Tools that can be found. */
  countIndexed(): number;
  /** Resolves when everything that is known by now can be found. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function createDiscovery(parts: DiscoveryParts): Discovery {
  const { policy, config, state, servers, agentTools, writesFor, mayStart, metrics, log, clock } = parts;
  const { words, secretsDir } = parts;
  const index = createToolSearch({ embeddings: config.embeddings, words, secretsDir, metrics, log, clock });
  const known = new KnownTools({ servers, state, agentTools, clock });
  const findHints = (server: string, tool: string) => {
    const found = known.find(server, tool);
    return found && readHints(found.tool);
  };
  const mayCall = createMayCall({ state, policy, findHints });
  const reach = createReach({ known, mayCall });
  const feed = feedIndex({ known, index, onIndexed: metrics.setIndexed, log, clock });
  const activation = createActivation({ servers, clock });
  const callTool = createCallTool({ ...parts, activation, writesFor: mayStart ? writesFor : undefined });
  const suggest = createSuggest({ index, reach });
  const shown = new ShownTools({ clock, onChange: (isFor) => listed.tell(isFor) });
  const listed = createListedTools({
    policy,
    known,
    mayCall,
    reach,
    pinned: config.pinnedTools ?? [],
    shown,
    callTool,
    clock,
  });
  const onFound = metrics.countFound;
  const find = createFinder({ index, known, reach, canStart: callTool.canStart, onFound, clock });
  const tool = createRegistryTool({
    actions: [
      ...createFindActions({ find, shown }),
      createGetSchema({ reach, suggest }),
      createProxyCall({ reach, suggest, callTool }),
      ...createServerActions({ servers, reach, activation, shown, writesFor, index }),
      ...(parts.furtherActions ?? []),
    ],
    onAction: metrics.countRegistryAction,
  });
  return {
    tool,
    mayCall,
    withServerTools: listed.with,
    countIndexed: () => index.size,
    settled: feed.settled,
    async close() {
      feed.close();
      listed.close();
      shown.close();
      known.close();
      await index.close();
    },
  };
}
