// A served table for tests: real HTTP on loopback and a log that can be read.
import { serve } from "@hono/node-server";
import type { AddressInfo } from "node:net";
import { createLogger } from "../process/log.ts";
import { serveMcp, type McpEndpoint, type ServeOptions } from "./serve.ts";
import { type CallContext, type McpTable, staticTools, type ToolEntry } from "./table.ts";

export interface ServedApp {
  url: string;
  stop(): Promise<void>;
}

/** Serves any fetch handler on a free port of loopback. */
export async function serveOnLoopback(fetch: (request: Request) => Response | Promise<Response>): Promise<ServedApp> {
  const { promise, resolve } = Promise.withResolvers<AddressInfo>();
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, resolve);
  const { port } = await promise;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

export interface TestEndpoint extends ServedApp {
  endpoint: McpEndpoint;
  calls: CallRecord[];
  logLines: string[];
}

/** A call that the tool `wait` has received. */
export interface CallRecord {
  context: CallContext;
  finish(): void;
}

export async function startEndpoint(options: Partial<ServeOptions> = {}): Promise<TestEndpoint> {
  const logLines: string[] = [];
  const log = createLogger({
    logger: "test",
    level: "DEBUG",
    destination: { write: (line) => void logLines.push(line) },
  });
  const calls: CallRecord[] = [];
  const endpoint = serveMcp(createTestTable(calls), {
    log,
    bodyLimitBytes: 1_000_000,
    callers: "anyone",
    sessions: { idleTtlMs: 60_000, max: 100 },
    ...options,
  });
  const app = await serveOnLoopback((request) => endpoint.app.fetch(request));
  return {
    ...app,
    endpoint,
    calls,
    logLines,
    async stop() {
      await endpoint.close();
      await app.stop();
    },
  };
}

const noArguments = { type: "object", properties: {}, additionalProperties: false } as const;

/** `steps` reports three steps, `wait` waits for its record's `finish` or the signal, `broken` throws a secret. */
export function createTestTable(calls: CallRecord[]): McpTable {
  const tool = (
    name: string,
    call: ToolEntry["call"],
    inputSchema: ToolEntry["inputSchema"] = noArguments,
  ): ToolEntry => ({
    name,
    description: `The tool ${name}.`,
    inputSchema,
    call,
  });
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
  return {
    server: { name: "test-server", title: "Test Server", version: "1.2.3" },
    instructions: "Only for tests.",
    tools: staticTools([
      tool("echo", async ({ text: given }) => ({ ...text(String(given)), meta: { "ca.example/seen": true } }), {
        type: "object",
        properties: {
          text: { type: "string" },
          images: { type: "array", items: { type: "object", required: ["data"] } },
        },
        required: ["text"],
        additionalProperties: false,
      }),
      tool("whoami", async (_args, { bearer, sessionId, era }) =>
        text(JSON.stringify({ bearer: bearer ?? null, session: sessionId !== undefined, era })),
      ),
      tool("steps", async (_args, { sendProgress }) => {
        await sendProgress?.({ progress: 1, message: "one" });
        await sendProgress?.({ progress: 2, message: "two", total: undefined });
        void sendProgress?.({ progress: 3, total: 3, message: "three" });
        setTimeout(() => void sendProgress?.({ progress: 4, message: "late" }), 5);
        return text(sendProgress === undefined ? "no token" : "token");
      }),
      tool("wait", async (_args, context) => {
        await new Promise<void>((resolve, reject) => {
          calls.push({ context, finish: resolve });
          context.signal.addEventListener("abort", () => reject(context.signal.reason));
        });
        return text("finished");
      }),
      tool("broken", async () => {
        throw new Error("the password is hunter2");
      }),
    ]),
    prompts: [
      {
        name: "greeting",
        description: "Greets.",
        arguments: [{ name: "name", required: true }],
        get: async ({ name }) => ({
          description: "A greeting",
          messages: [{ role: "user", content: { type: "text", text: `Hello ${name}` } }],
        }),
      },
    ],
  };
}
