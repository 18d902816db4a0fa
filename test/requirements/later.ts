// Surfaces of the registry that are still to come: tool discovery (DSC), the directory (DIR), management over MCP (MGM), the
// dashboard (UI).
import type { Requirements } from "./requirement.ts";

export const laterRequirements: Requirements = {
  "DSC-1": {
    promise: "One MCP tool with actions offers discovery, whatever the size of the catalogue.",
    shown: "open",
  },
  "DSC-2": { promise: "find_tool names the best tool, how sure it is, and a call that works as given.", shown: "open" },
  "DSC-3": {
    promise: "Ranking is lexical and semantic over all known tools, those of servers that are down too.",
    shown: "open",
  },
  "DSC-4": { promise: "Several intents, full schemas and calls without listing are offered.", shown: "open" },
  "DSC-5": { promise: "Tools are listed exactly while they are active, and clients hear of changes.", shown: "open" },
  "DSC-6": {
    promise: "Servers are resources; those that speak stdio run in pods behind a bridge.",
    shown: [
      "plan/server.test.ts",
      "plan/accept-server.test.ts",
      "plan/check.test.ts",
      "operator/server/reconcile.test.ts",
      "operator/render/server-children.test.ts",
      "test/integration/servers.test.ts",
      "cli/up/desired-servers.test.ts",
      "test/docs/tool-servers.test.ts",
      "test/integration/local-servers.test.ts",
    ],
  },
  "DSC-7": {
    promise: "browse asks the public registries side by side, and a slow one holds nothing up.",
    shown: "open",
  },
  "DSC-8": {
    promise: "Servers are managed over REST with the documented answers and masked secrets.",
    shown: [
      "gateway/rest/source-examples.test.ts",
      "gateway/rest/document.test.ts",
      "gateway/rest/bodies.test.ts",
      "gateway/rest/commands.test.ts",
      "test/integration/gateway-servers.test.ts",
    ],
    missing: "Secrets and browsing answer 501 with the cure: neither can be configured yet.",
  },
  "DSC-9": {
    promise: "A tester's API reaches all that an MCP server offers, for those with the role.",
    shown: [
      "gateway/tester/tester.test.ts",
      "gateway/tester/roles.test.ts",
      "gateway/tester/answers.test.ts",
      "gateway/tester/questions.test.ts",
      "gateway/tester/sessions.test.ts",
      "gateway/tester/transients.test.ts",
      "gateway/tester/command-servers.test.ts",
      "gateway/tester/export.test.ts",
      "gateway/tester/instance-tester.test.ts",
      "test/integration/gateway-servers.test.ts",
    ],
  },
  "DSC-10": {
    promise: "A WebSocket tells the state on connecting and on each change, within its limits.",
    shown: ["gateway/feed/feed.test.ts", "test/integration/gateway-servers.test.ts"],
  },
  "DSC-11": {
    promise: "Calls are counted per tool and logged with arguments redacted.",
    shown: [
      "gateway/servers/call-log.test.ts",
      "gateway/rest/bodies.test.ts",
      "gateway/rest/serve.test.ts",
      "plan/gateway.test.ts",
    ],
  },
  "DSC-12": {
    promise: "A changed definition of a tool is reported, or hides the tool until it is approved.",
    shown: [
      "gateway/servers/pins.test.ts",
      "gateway/rest/pins.test.ts",
      "gateway/servers/tool-status.test.ts",
      "gateway/writes/server-status.test.ts",
      "test/integration/gateway-servers.test.ts",
    ],
  },

  "DIR-1": {
    promise: "Agents register themselves with endpoints, by name, and only owners write.",
    shown: [
      "gateway/directory/directory.test.ts",
      "gateway/directory/source-examples.test.ts",
      "gateway/directory/serve.test.ts",
      "gateway/writes/cluster-writes.test.ts",
      "gateway/state/cluster-state.test.ts",
      "test/integration/gateway-servers.test.ts",
    ],
  },
  "DIR-2": {
    promise: "Endpoints live by heartbeat or renewal, pods of ours by readiness.",
    shown: [
      "gateway/directory/liveness.test.ts",
      "gateway/directory/directory.test.ts",
      "gateway/directory/source-examples.test.ts",
      "test/integration/gateway-servers.test.ts",
    ],
  },
  "DIR-3": {
    promise: "Agents are found by capability, tags, protocol and liveness, in pages with true totals.",
    shown: [
      "gateway/directory/discover.test.ts",
      "gateway/directory/serve.test.ts",
      "gateway/directory/directory.test.ts",
    ],
  },
  "DIR-4": {
    promise: "MCP server cards are listed and submitted, and come back byte for byte.",
    shown: [
      "test/gateway/directory-cards.test.ts",
      "test/integration/gateway-servers.test.ts",
      "gateway/directory/spliced-card.test.ts",
      "gateway/directory/source-examples.test.ts",
      "gateway/directory/directory-limits.test.ts",
      "gateway/directory/serve.test.ts",
    ],
  },
  "DIR-5": {
    promise: "Transports other than Streamable HTTP are refused with the reason.",
    shown: ["gateway/directory/source-examples.test.ts"],
  },

  "MGM-1": {
    promise: "The token decides whether the gateway's MCP endpoint is for people or for one agent.",
    shown: [
      "lib/auth/authenticate.test.ts",
      "lib/auth/cluster-tokens.test.ts",
      "lib/auth/token-table.test.ts",
      "lib/auth/roles.test.ts",
      "test/integration/cluster-tokens.test.ts",
      "plan/accept-gateway.test.ts",
      "plan/gateway.test.ts",
      "gateway/gateway.test.ts",
      "gateway/state/cluster-state.test.ts",
      "test/integration/gateway.test.ts",
      "test/integration/gateway-tokens.test.ts",
      "test/integration/gateway-hostile.test.ts",
      "test/integration/local-gateway.test.ts",
      "operator/token-issuer.test.ts",
      "operator/agent/gateway-keys.test.ts",
      "cli/up/desired-gateways.test.ts",
      "test/integration/gateway-agents.test.ts",
      "test/integration/local-gateway-agents.test.ts",
      "gateway/management/roles.test.ts",
    ],
    missing: "what is served behind it: the management server's table and the compositor",
  },
  "MGM-2": {
    promise: "Agents, approvals, policies and presets are resources that clients subscribe to.",
    shown: [
      "lib/mcp/subscriptions.test.ts",
      "lib/mcp/resources.test.ts",
      "lib/mcp/stalled-readers.test.ts",
      "lib/mcp/subscriber.test.ts",
      "lib/mcp/subscription-hub.test.ts",
      "lib/mcp/kept-subscriptions.test.ts",
      "lib/mcp/subscriptions-memory.test.ts",
      "test/integration/subscriptions-python.test.ts",
      "test/integration/gateway-example.test.ts",
      "test/compat/gateway.test.ts",
      "gateway/state/cluster-state.test.ts",
      "gateway/state/local-state.test.ts",
      "test/gateway/management.test.ts",
      "gateway/management/roles.test.ts",
      "gateway/management/writes.test.ts",
      "gateway/management/agents/asked.test.ts",
    ],
    missing: "resources of approvals, policies, calls and the directory",
  },
  "MGM-3": {
    promise: "Tools create, prompt, abort, equip and decide.",
    shown: [
      "gateway/management/writes.test.ts",
      "gateway/writes/cluster-writes.test.ts",
      "test/gateway/management.test.ts",
      "test/compat/gateway.test.ts",
      "agent-runtime/admin-runs.test.ts",
      "test/integration/gateway-agents.test.ts",
      "test/integration/local-gateway-agents.test.ts",
    ],
    missing: "tools that decide, and those of policies",
  },
  "MGM-4": {
    promise: "An agent's servers are mounted by prefix behind the policy gate.",
    shown: [
      "agent-runtime/compositor/compositor.test.ts",
      "gateway/proxy/proxy.test.ts",
      "test/integration/gateway-agents.test.ts",
      "test/integration/local-gateway-agents.test.ts",
    ],
    missing: "the policy that is asked",
  },
  "MGM-5": {
    promise: "Each call is allowed, asked about or denied by policy, and a faulty policy denies.",
    shown: "open",
  },
  "MGM-6": { promise: "Approvals expire, hold for the exact call, and outlive a restart.", shown: "open" },

  "MGM-7": {
    promise: "Questions of servers, policies and models reach the caller who can be asked.",
    shown: ["agent-runtime/asking.test.ts", "agent-runtime/tools/relay.test.ts"],
    missing: "questions of policies, and of the model itself",
  },

  "UI-1": { promise: "A browser shows agents, chat, approvals, servers, a tester and logs, live.", shown: "open" },
  "UI-2": { promise: "The inbox of approvals is an MCP App too.", shown: "open" },
};
