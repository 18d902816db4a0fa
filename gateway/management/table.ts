// The management server of an instance (MGM-2, MGM-3) as a table for lib/mcp: what people see of agents, and what they may do with
// them, each by role and names. It is made of families of resources and of tools, a file each; who asks is an Identity.
import type { OpenFetch } from "../../lib/mcp/safe-fetch.ts";
import type { McpTable } from "../../lib/mcp/table.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import type { Rules } from "../../plan/rules.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import { CallTrend } from "../servers/call-trend.ts";
import type { GatewayState, WritesFor } from "../state/state.ts";
import { createAdminClient } from "./agents/admin-client.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { createAgentLinks } from "./agents/agent-links.ts";
import { createAskedConversations } from "./agents/asked-conversations.ts";
import { createAsked } from "./agents/asked.ts";
import { createRunCounts } from "./agents/run-counts.ts";
import { createDryRuns, type DryRunsParts } from "./agents/dry-runs.ts";
import { createApprovalsApp, createApprovalsList } from "./approvals/app.ts";
import { createApprovalViews } from "./approvals/views.ts";
import type { PresetSource } from "../state/presets.ts";
import type { ProposalStore } from "./policies/store.ts";
import { createAgentInfo } from "./resources/agent-info.ts";
import { createAgentList } from "./resources/agent-list.ts";
import { createAgentState } from "./resources/agent-state.ts";
import { createApprovalResources } from "./resources/approvals.ts";
import { createCaller } from "./resources/caller.ts";
import { createCompositorState } from "./resources/compositor-state.ts";
import { createContainerInfo, type ContainerInfo } from "./resources/container.ts";
import { createConversationList } from "./resources/conversations.ts";
import type { ResourceFamily } from "./resources/family.ts";
import { createMcpState } from "./resources/mcp-state.ts";
import { withOwnChanges } from "./resources/own-changes.ts";
import { createPolicyResources } from "./resources/policies.ts";
import { createPresetList } from "./resources/presets.ts";
import { createSessionState } from "./resources/session-state.ts";
import { createSnapshot } from "./resources/snapshot.ts";
import { createResources } from "./resources/source.ts";
import { createUiState } from "./resources/ui-state.ts";
import { createAgentsAbort } from "./tools/agents-abort.ts";
import { createAgentsApprove } from "./tools/agents-approve.ts";
import { createAgentsList } from "./tools/agents-list.ts";
import { createAgentsSetPolicy } from "./tools/agents-policy.ts";
import { createAgentsPrompt, type PromptParts } from "./tools/agents-prompt.ts";
import { createAgentsServers } from "./tools/agents-servers.ts";
import { createAgentsWrite } from "./tools/agents-write.ts";
import { createPolicyApprove } from "./tools/policy-approve.ts";
import { createPolicyPropose } from "./tools/policy-propose.ts";
import { createToolSource } from "./tools/source.ts";
import type { ManagementTool } from "./tools/tool.ts";

export interface ManagementParts {
  policy: Pick<GatewayPolicy, "judge">;
  state: GatewayState;
  /** Absent: `management` is `approve`, and nobody changes agents here. */
  writesFor?: WritesFor | undefined;
  presets: PresetSource;
  /** By which a change is judged before it is written. */
  rules: Rules;
  /** Beside those of the management server itself. */
  approvals: Approvals;
  proposals: ProposalStore;
  /** Calls that the gateway itself judged, as other rules would decide them. */
  judgedHere?: DryRunsParts["judgedHere"];
  furtherTools?: readonly ManagementTool[];
  furtherResources?: readonly ResourceFamily[];
  /** Approvals as a page for hosts of MCP Apps; absent: none was built. */
  approvalsApp?: string | undefined;
  /** What agents were sent is counted here. Default: a count of the table's own. */
  trend?: CallTrend | undefined;
  container: ContainerInfo;
  /** The gateway's own token for the admin ports of its agents. */
  readAgentsToken: () => Promise<string>;
  /** In place of the network, on the way to agents. */
  openFetch?: OpenFetch | undefined;
  memory?: MemoryBudget | undefined;
  log: Logger;
  clock: Clock;
}

export interface ManagementTable extends McpTable {
  /** What agents_prompt does. */
  promptAgent: ManagementTool["call"];
  /** To be called when a request of a caller to an agent begins, and when it is over: their conversations may be others then. */
  noteTalk: PromptParts["noteTalk"];
  /** Closes the ways to agents; calls that use them fail. */
  close(): Promise<void>;
}

/** How agents' processes are asked, by what is asked. Health makes the agent look at its servers; what runs costs it nothing. */
const runTimes = { keptMs: 500, everyMs: 2_000, timeoutMs: 3_000, maxAtOnce: 16 };
const healthTimes = { keptMs: 2_000, everyMs: 15_000, timeoutMs: 10_000, maxAtOnce: 16 };

const neverWrites: WritesFor = () => {
  throw new Error("expected a gateway that may write, found one that may not");
};

export function createManagementTable(parts: ManagementParts): ManagementTable {
  const { furtherTools = [], state, writesFor = neverWrites, presets, rules, approvals, proposals, container } = parts;
  const { log, clock, judgedHere, furtherResources = [], approvalsApp, trend = new CallTrend(clock) } = parts;
  const mayWrite = parts.writesFor !== undefined;
  const admin = createAdminClient(parts);
  const runs = createAsked({ ask: admin.fetchRuns, ...runTimes, clock });
  const health = createAsked({ ask: admin.fetchHealth, ...healthTimes, clock });
  const links = createAgentLinks({ ...parts, version: container.version });
  const conversations = createAskedConversations({ admin, clock });
  const dryRuns = createDryRuns({ admin, judgedHere, clock });
  const views = createApprovalViews({ approvals, state });
  const { namespace, instance } = state;
  const management = mayWrite ? "readWrite" : "approve";
  const runCounts = createRunCounts({ admin, state, clock });
  const caller = createCaller({ namespace, instance, version: container.version, management });
  const listed = { state, views, runs: runCounts, trend, clock };
  const source = createResources({
    state,
    presets,
    proposals,
    families: [
      caller,
      createAgentList(listed),
      createAgentInfo(state),
      createAgentState(state, runs, clock),
      createSnapshot({ state, runs, health, views, clock }),
      createSessionState(state),
      createMcpState(state, health),
      createUiState(state, links, conversations),
      createConversationList(state, conversations),
      createContainerInfo(container, { namespace, instance, management }),
      createPresetList(presets),
      createCompositorState(state, health),
      ...createApprovalResources(state, views),
      ...createPolicyResources({ state, proposals, dryRuns }),
      ...(approvalsApp === undefined ? [] : [createApprovalsApp(approvalsApp)]),
      ...furtherResources,
    ],
  });
  const writing = { state, writesFor, rules };
  const proposing = { state, proposals, log, clock };
  const prompt = createAgentsPrompt({ policy: parts.policy, state, links, noteTalk: conversations.note, trend, clock });
  const tools = [
    createAgentsList(listed),
    prompt,
    ...createAgentsAbort({ state, admin, clock }),
    createAgentsApprove({ approvals, views }),
    ...(approvalsApp === undefined ? [] : [createApprovalsList({ views, caller, clock })]),
    ...createPolicyPropose(proposing),
    ...createAgentsWrite(writing, presets),
    ...createAgentsServers(writing),
    createAgentsSetPolicy(writing),
    createPolicyApprove({ ...writing, ...proposing }),
    ...furtherTools,
  ];
  return {
    server: { name: "pallas-management", title: `Agents of ${instance}`, version: container.version },
    instructions:
      "See agents, talk to them, manage them, and decide of calls that wait for approval. Subscribe to resources to hear of changes.",
    tools: createToolSource(tools, mayWrite),
    prompts: [],
    resources: withOwnChanges(source, conversations),
    promptAgent: prompt.call,
    noteTalk: conversations.note,
    async close() {
      for (const asking of [runs, runCounts, conversations, health, dryRuns]) asking.close();
      await links.close();
    },
  };
}
