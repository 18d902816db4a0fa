// The clients and agent frameworks of others that are tried, and what each is found to do. The suites of this folder check
// every word here that they can see, and the table in docs/clients.md says the same.

export interface TriedClient {
  /** As its registry has it. */
  readonly name: string;
  readonly pin: Pin;
  /** The generation of MCP that it speaks with an agent. */
  readonly era: "2025" | "2026" | "both";
  /** Whether `structuredContent` reaches the program, or in a framework the model. */
  readonly structured: Found;
  readonly progress: Found;
  readonly cancel: Found;
  /** The agent's history prompt. */
  readonly history: Found;
  /** What the agent knows the conversation of a second call by. */
  readonly remembers: string;
  /** Its names in clients.test.ts. */
  readonly callers?: readonly string[];
  /** How a model that it hosts is tried. */
  readonly host?: Host;
}

export type Found = "yes" | "no" | "–" | "not tried";

/** Where the version stands: a set of requirements of test/python, of npm packages, package.json, or Go's module. */
export type Pin = { readonly python: string } | { readonly npm: "clients" | "own" } | { readonly go: string };

export interface Host {
  readonly runs: { readonly with: "node" | "langchain" | "hosts" | "llama-index" | "mcp-use"; readonly script: string };
  /** Whether both calls come in one session of the older generation, which remembers by itself. */
  readonly keepsConnection: boolean;
}

const byId = "`session_id`";
const byBoth = `the connection, or ${byId}`;
/** Of the older generation by the connection. */
const byEra = `${byId}; in the 2025 generation the connection`;
const byModel = `${byId}, which its model reads`;
const byModelOrConnection = `the connection, or ${byModel}`;
const sdk = { structured: "yes", progress: "yes", cancel: "yes", history: "yes" } as const;
const framework = { cancel: "not tried", history: "not tried" } as const;

export const triedClients: readonly TriedClient[] = [
  {
    name: "mcp",
    pin: { python: "1" },
    era: "2025",
    ...sdk,
    remembers: byBoth,
    callers: ["Python SDK 1.x, 2025 era"],
  },
  {
    name: "mcp",
    pin: { python: "2" },
    era: "both",
    ...sdk,
    remembers: byEra,
    callers: ["Python SDK 2.x, 2025 era", "Python SDK 2.x, 2026 era"],
  },
  {
    name: "fastmcp",
    pin: { python: "fastmcp" },
    era: "2026",
    ...sdk,
    remembers: byId,
    callers: ["FastMCP client, 2026 era"],
  },
  {
    name: "@modelcontextprotocol/sdk",
    pin: { npm: "own" },
    era: "2025",
    ...sdk,
    remembers: byBoth,
    callers: ["TypeScript SDK 1.x, 2025 era"],
  },
  {
    name: "@modelcontextprotocol/client",
    pin: { npm: "own" },
    era: "both",
    ...sdk,
    remembers: byEra,
    callers: ["TypeScript SDK 2.x, 2025 era", "TypeScript SDK 2.x, 2026 era"],
  },
  {
    name: "github.com/modelcontextprotocol/go-sdk",
    pin: { go: "go-sdk" },
    era: "2026",
    ...sdk,
    remembers: byId,
    callers: ["Go SDK, 2026 era"],
  },
  {
    name: "openai-agents",
    pin: { python: "hosts" },
    era: "2026",
    structured: "no",
    progress: "no",
    ...framework,
    remembers: byModel,
    host: { runs: { with: "hosts", script: "openai_agents_host.py" }, keepsConnection: false },
  },
  {
    name: "pydantic-ai-slim",
    pin: { python: "hosts" },
    era: "2026",
    structured: "yes",
    progress: "yes",
    ...framework,
    remembers: byModel,
    host: { runs: { with: "hosts", script: "pydantic_ai_host.py" }, keepsConnection: false },
  },
  {
    name: "langchain-mcp-adapters",
    pin: { python: "langchain" },
    era: "2025",
    structured: "no",
    progress: "no",
    ...framework,
    remembers: byModel,
    host: { runs: { with: "langchain", script: "langchain_host.py" }, keepsConnection: false },
  },
  {
    name: "llama-index-tools-mcp",
    pin: { python: "llama-index" },
    era: "2025",
    structured: "yes",
    progress: "no",
    ...framework,
    remembers: byModel,
    host: { runs: { with: "llama-index", script: "llama_index_host.py" }, keepsConnection: false },
  },
  {
    name: "mcp-use",
    pin: { python: "mcp-use" },
    era: "2025",
    structured: "no",
    progress: "no",
    ...framework,
    remembers: byModelOrConnection,
    host: { runs: { with: "mcp-use", script: "mcp_use_host.py" }, keepsConnection: true },
  },
  {
    name: "@ai-sdk/mcp",
    pin: { npm: "clients" },
    era: "2026",
    structured: "no",
    progress: "no",
    ...framework,
    remembers: byModel,
    host: { runs: { with: "node", script: "ai-sdk-host.mjs" }, keepsConnection: false },
  },
  {
    name: "@mastra/mcp",
    pin: { npm: "clients" },
    era: "2026",
    structured: "no",
    progress: "no",
    ...framework,
    remembers: byModel,
    host: { runs: { with: "node", script: "mastra-host.mjs" }, keepsConnection: false },
  },
  {
    name: "@modelcontextprotocol/inspector",
    pin: { npm: "clients" },
    era: "2025",
    structured: "yes",
    progress: "–",
    cancel: "–",
    history: "not tried",
    remembers: `${byId}: each command is a connection of its own`,
  },
];
