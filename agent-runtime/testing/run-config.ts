// A run configuration for tests: one agent with a keyless model and nothing else, changed where a test says so.
import type { RunConfig, RunServer, RunSubAgent } from "../../crds/run-config.ts";

/** An agent named tech-research in the namespace agents, with the passthrough model and vision. */
export function renderTestConfig(changes: Partial<RunConfig> = {}): RunConfig {
  return {
    schema: 1,
    agent: {
      name: "tech-research",
      namespace: "agents",
      instance: "ouranos",
      title: "Tech Research",
      description: "Searches things.",
      version: "1.0.0",
    },
    instruction: { text: "You are an agent under test." },
    models: [
      {
        ref: "passthrough.test",
        provider: "passthrough",
        name: "test",
        capabilities: { vision: true, contextWindow: 131_072, maxOutputTokens: 16_384 },
        capabilitiesDeclared: true,
      },
    ],
    providers: [
      { name: "passthrough", kind: "passthrough", headers: [], requireListedModel: false, forwardInboundAuth: false },
    ],
    request: { stop: [], parallelToolCalls: true, maxSteps: 60 },
    servers: [],
    agents: [],
    scope: "connection",
    sessions: true,
    emitLoopProgress: true,
    limits: {
      wallClockMs: 60_000,
      toolCalls: 200,
      totalTokens: 2_000_000,
      toolResultBytes: 33_000,
      queuedCalls: 64,
      concurrentCalls: 64,
    },
    history: {
      compactAt: 0.85,
      keepTurns: 2,
      idleTtlMs: 3_600_000,
      maxBytes: 64 * 1024 * 1024,
      maxBytesPerConversation: 16 * 1024 * 1024,
    },
    drainTimeoutMs: 10_000,
    http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: 32 * 1024 * 1024 },
    logLevel: "INFO",
    ...changes,
  };
}

export function renderTestServer(name: string, url: string, changes: Partial<RunServer> = {}): RunServer {
  const rest = { prefix: name, headers: [], forwardInboundAuth: false, instructions: true };
  const rules = { timeoutMs: 60_000, allow: [], deny: [] };
  return { name, url, ...rest, ...rules, ...changes };
}

export function renderTestSubAgent(name: string, url: string, changes: Partial<RunSubAgent> = {}): RunSubAgent {
  return { name, url, description: `Asks ${name}.`, forwardInboundAuth: false, ...changes };
}
