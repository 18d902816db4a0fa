// Words around the tabs of an agent.
export const agentWords = {
  what: "The agent",
  agent: "agent",
  agents: "Agents",
  back: "Back to agents",
  lookAt: "Look at {server}",
  copyUrl: "Copy MCP URL",
  tabs: "Parts of {agent}",
  chat: "Chat",
  runs: "Runs",
  tools: "Tools",
  policy: "Policy",
  definition: "Definition",
} as const;
