// Puts an MCP server that speaks stdio on Streamable HTTP, for agents under test. What the server says of itself passes
// unchanged; a tool call reaches it only where `lets` allows that, and is noted and answered in its place everywhere else,
// so that no test writes, buys or asks anything outside. Progress and what a server asks of its client are dropped.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import * as z from "zod";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { sampleValue } from "./sample-value.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface ServedTool {
  readonly name: string;
  readonly outputSchema?: unknown;
}

export interface ReceivedCall {
  readonly name: string;
  readonly arguments: unknown;
}

export interface Bridge {
  url: string;
  tools: readonly ServedTool[];
  stop(): Promise<void>;
}

export interface BridgeOptions {
  command: Command;
  /** Whether a call is the server's to answer. */
  lets(call: ReceivedCall): boolean;
  /** What the caller of any other call is given. */
  answer(call: ReceivedCall): string;
}

type Id = string | number;
type Answer = Record<string, unknown>;

/** Of a server that starts beside many others. */
const startTimeoutMs = 120_000;
const refusedMethod = { error: { code: -32601, message: "Method not found" } };

const messageSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});
const pageSchema = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), outputSchema: z.unknown().optional() })),
  nextCursor: z.string().optional(),
});
const callSchema = z.looseObject({ name: z.string(), arguments: z.unknown().optional() });

/** Starts the server, greets it, and reads its tools. Throws with its last words when it cannot be started. */
export async function startBridge({ command, lets, answer }: BridgeOptions): Promise<Bridge> {
  const child = startChild(command);
  try {
    const clientInfo = { name: "compat", version: "1.0.0" };
    const greeting = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const initialized = await child.ask("initialize", greeting);
    child.tell("notifications/initialized");
    const tools = await listTools(child);

    const answerMessage = async (message: z.output<typeof messageSchema>): Promise<Answer | undefined> => {
      const { id, method, params = {} } = message;
      if (id === undefined || method === undefined) return undefined;
      if (method === "initialize") return initialized;
      if (method === "server/discover") return refusedMethod;
      if (method !== "tools/call") return child.ask(method, params);
      const call = { arguments: {}, ...callSchema.parse(params) };
      if (lets(call)) return child.ask(method, { name: call.name, arguments: call.arguments });
      const schema = tools.find(({ name }) => name === call.name)?.outputSchema;
      const structured = schema === undefined ? {} : { structuredContent: sampleValue(schema) };
      return { result: { content: [{ type: "text", text: answer(call) }], ...structured } };
    };
    const http = await serve(answerMessage);
    return { url: http.url, tools, stop: async () => void (await Promise.all([http.stop(), child.stop()])) };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

interface Child {
  /** The members of the answer beside its id. */
  ask(method: string, params: Answer): Promise<Answer>;
  tell(method: string): void;
  stop(): Promise<void>;
}

function startChild({ file, args, env, cwd }: Command): Child {
  const child = spawn(file, args, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
  const waiting = new Map<Id, PromiseWithResolvers<Answer>>();
  let lastWords = "";
  let asked = 0;
  const write = (message: Answer) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ended = once(child, "exit").catch((error: unknown) => [error]);
  void ended.then(([how]) => {
    const error = new Error(`expected ${[file, ...args].join(" ")} to go on, it ended (${how}): ${lastWords}`);
    for (const { reject } of waiting.values()) reject(error);
  });
  child.stdin.on("error", () => undefined); // its end is reported above
  child.stderr.on("data", (chunk: Buffer) => void (lastWords = (lastWords + chunk.toString()).slice(-2_000)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const parsed = parseLine(line);
    if (parsed?.id === undefined) return;
    const { id, method, jsonrpc: _, ...rest } = parsed;
    if (method === undefined) waiting.get(id)?.resolve(rest);
    else write({ id, ...refusedMethod });
  });
  return {
    async ask(method, params) {
      asked += 1;
      const answered = Promise.withResolvers<Answer>();
      waiting.set(asked, answered);
      const timer = setTimeout(
        () => answered.reject(new Error(`expected an answer to ${method}, found none: ${lastWords}`)),
        startTimeoutMs,
      );
      write({ id: asked, method, params });
      return answered.promise.finally(() => clearTimeout(timer));
    },
    tell: (method) => write({ method }),
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Undefined for a line of a server that logs to standard output. */
function parseLine(line: string): z.output<typeof messageSchema> | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

async function listTools(child: Child): Promise<ServedTool[]> {
  const tools: ServedTool[] = [];
  let cursor: string | undefined;
  do {
    const { result } = await child.ask("tools/list", cursor === undefined ? {} : { cursor });
    const page = pageSchema.parse(result);
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** One endpoint without sessions of the 2025 era. */
async function serve(
  answerMessage: (message: z.output<typeof messageSchema>) => Promise<Answer | undefined>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
    const message = messageSchema.parse(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    const answer = await answerMessage(message);
    if (answer === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const port = await findFreePorts(1);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
