// Real processes' edges for tests: downstream MCP servers and agents, each on a free port of loopback, with what they saw.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunConfig } from "../../crds/run-config.ts";
import type { McpExtension } from "../../lib/mcp/extension.ts";
import { callerHeader } from "../../lib/auth/gateway-caller.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import {
  type CallContext,
  type JsonObjectSchema,
  staticTools,
  type ToolEntry,
  type ToolResult,
} from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger, type Logger } from "../../lib/process/log.ts";
import { startRuntime, type Runtime, type RuntimeOptions } from "../runtime.ts";
import { renderTestConfig } from "./run-config.ts";

export interface TestLog {
  log: Logger;
  lines: Record<string, unknown>[];
}

export function createTestLog(level = "INFO"): TestLog {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLogger({ logger: "test", level, destination }), lines };
}

export interface SeenCall {
  tool: string;
  args: Record<string, unknown>;
  bearer: string | undefined;
  context: CallContext;
}

export interface ToolServer {
  url: string;
  seen: SeenCall[];
  /** The Authorization header of every HTTP request, probes and session ends included. */
  authorizations: (string | null)[];
  /** For whom each request said to be, by the header of gateways. */
  callers: (string | null)[];
  stop(): Promise<void>;
}

type ToolHandler = (args: Record<string, unknown>, context: CallContext) => ToolResult | Promise<ToolResult>;

export interface TestTool {
  inputSchema?: JsonObjectSchema;
  handle: ToolHandler;
}

export const textResult = (text: string): ToolResult => ({ content: [{ type: "text", text }] });

interface ToolServerOptions {
  /** Starts it where one was before. */
  port?: number;
  /** Makes it refuse the 2026 era. */
  only2025?: boolean;
  instructions?: string;
  /** What it offers beside tools. */
  extension?: McpExtension;
  /** Answers requests with 401 where it says no. */
  admits?: (authorization: string | null) => boolean;
}

/** A downstream MCP server with these tools. */
export async function startToolServer(
  tools: Record<string, TestTool | ToolHandler>,
  { port = 0, only2025 = false, instructions, extension, admits = () => true }: ToolServerOptions = {},
): Promise<ToolServer> {
  const seen: SeenCall[] = [];
  const authorizations: (string | null)[] = [];
  const callers: (string | null)[] = [];
  const entries = Object.entries(tools).map(([name, tool]): ToolEntry => {
    const { handle, inputSchema = { type: "object" } } = typeof tool === "function" ? { handle: tool } : tool;
    return {
      name,
      description: `The tool ${name}.`,
      inputSchema,
      async call(args, context) {
        seen.push({ tool: name, args, bearer: context.bearer, context });
        return handle(args, context);
      },
    };
  });
  const { log } = createTestLog("SILENT");
  const endpoint = serveMcp(
    {
      server: { name: "tools", version: "1.0.0" },
      ...defined({ instructions }),
      tools: staticTools(entries),
      prompts: [],
    },
    {
      log,
      bodyLimitBytes: 1_000_000,
      callers: "anyone",
      sessions: { idleTtlMs: 600_000, max: 1_000 },
      ...(extension && { extension }),
    },
  );
  const fetch = (request: Request) => {
    const authorization = request.headers.get("authorization");
    authorizations.push(authorization);
    callers.push(request.headers.get(callerHeader));
    if (!admits(authorization)) return new Response("Unauthorized", { status: 401 });
    if (only2025 && request.headers.get("mcp-protocol-version")?.startsWith("2026") === true) {
      return new Response("Bad Request: Unsupported protocol version", { status: 400 });
    }
    return endpoint.app.fetch(request);
  };
  const server = await listen(fetch, { port, hostname: "127.0.0.1", log });
  const stop = async () => {
    await endpoint.close();
    await server.close({ graceMs: 0 });
  };
  return { url: `${server.url}/mcp`, seen, authorizations, callers, stop };
}

export interface TestAgent extends Runtime {
  mcpUrl: string;
  lines: TestLog["lines"];
  secretsDir: string;
  textsDir: string;
  stop(): Promise<void>;
}

/** An agent in this process. */
export async function startAgent(
  changes: Partial<RunConfig> = {},
  options: Partial<RuntimeOptions> = {},
): Promise<TestAgent> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-agent-"));
  const secretsDir = join(folder, "secrets");
  const textsDir = join(folder, "texts");
  const { log, lines } = createTestLog("DEBUG");
  const runtime = await startRuntime({
    config: renderTestConfig(changes),
    secretsDir,
    textsDir,
    historiesDir: join(folder, "histories"),
    host: "127.0.0.1",
    port: 0,
    adminPort: 0,
    slowProbeMs: 2_000,
    slowAnswerMs: 60_000,
    log,
    ...options,
  });
  const stop = async () => {
    await runtime.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...runtime, mcpUrl: `${runtime.url}/mcp`, lines, secretsDir, textsDir, stop };
}
