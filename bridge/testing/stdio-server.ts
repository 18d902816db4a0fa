// A server that speaks stdio, for tests: started as a process of its own with the word of how it behaves. It is written without an
// SDK, so that it can break every rule.
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { openSync, writeSync } from "node:fs";

type Json = Record<string, unknown>;
interface Incoming {
  id?: string | number;
  method?: string;
  params?: Json & { name?: string; arguments?: Json; _meta?: { progressToken?: string | number }; uri?: string };
  result?: unknown;
  error?: unknown;
}

const [mode = "well"] = process.argv.slice(2);
const send = (message: Json): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id: Incoming["id"], result: unknown): void => send({ id, result });
const text = (value: unknown) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const seen: Incoming[] = [];
const waiting = new Map<string | number, (message: Incoming) => void>();
let calls = 0;
let asked = 0;

const names = [
  "echo",
  "die",
  "slow",
  "ask",
  "big",
  "progress",
  "stray",
  "env",
  "seen",
  "change",
  "log",
  "spawn",
  "structure",
  "hidden",
  "fork",
  "whisper",
  "list__all",
  "\u001B[31mred\u001B[0m\u202Eder",
];
const tools = names.map((name) => ({ name, description: name, inputSchema: { type: "object" } }));

async function call({ id, params: { name, arguments: args = {}, _meta: meta } = {} }: Incoming): Promise<void> {
  calls += 1;
  const token = meta?.progressToken;
  if (name === "die") process.kill(process.pid, "SIGKILL");
  if (name === "slow") await sleep(Number(args["ms"] ?? 1_000));
  if (name === "stray") process.stdout.write("not json\n{}\n[1]\n\u001b[31mred\n");
  if (name === "log") send({ method: "notifications/message", params: { level: "info", data: args["data"] } });
  if (name === "change") {
    send({ method: "notifications/tools/list_changed" });
    send({ method: "notifications/resources/updated", params: { uri: args["uri"] ?? "test://a" } });
  }
  if (name === "spawn") {
    const child = spawn(process.execPath, ["-e", "setInterval(()=>{},1000)"], { stdio: "inherit" });
    return answer(id, text(child.pid));
  }
  if (name === "fork") {
    const children = Array.from({ length: Number(args["count"]) }, () =>
      spawn("sleep", ["1000"], { stdio: "inherit" }),
    );
    return answer(id, text(children.map(({ pid }) => pid)));
  }
  if (name === "whisper") {
    // In pieces that the reader gets one by one, a piece of the secret at the end of each.
    for (const part of `token: ${process.env["TOKEN"]} and on`.match(/.{1,9}/g) ?? []) {
      process.stderr.write(part);
      await sleep(20);
    }
    process.stderr.write(
      `\n${"x".repeat(Number(args["before"]))}${String(process.env["TOKEN"]).repeat(3)}${"y".repeat(20_000)}\n`,
    );
  }
  if (name === "big") {
    const payload = "x".repeat(Number(args["bytes"]));
    const parts =
      args["idFirst"] === true ? { id, result: { content: [], payload } } : { result: { content: [], payload }, id };
    writeAll(`${JSON.stringify({ jsonrpc: "2.0", ...parts })}\n`);
    return;
  }
  if (name === "structure") {
    return answer(id, { content: [], entries: Array.from({ length: Number(args["entries"]) }, () => 1) });
  }
  if (name === "progress") {
    for (let progress = 1; progress <= Number(args["steps"] ?? 3); progress += 1) {
      if (token !== undefined) {
        send({
          method: "notifications/progress",
          params: { progressToken: token, progress, message: `step ${progress}` },
        });
      }
      await sleep(Number(args["ms"] ?? 10));
    }
  }
  if (name === "ask") {
    const { method } = args;
    const reply = await ask(typeof method === "string" ? method : "elicitation/create", {
      message: "which?",
      requestedSchema: { type: "object", properties: {} },
    });
    return answer(id, text(reply.result ?? reply.error));
  }
  if (name === "env") return answer(id, text(process.env));
  if (name === "seen") return answer(id, text(seen));
  answer(id, text({ args, pid: process.pid, calls }));
}

/** Whatever the pipe takes at a time. */
function writeAll(line: string): void {
  const bytes = Buffer.from(line);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error) || error.code !== "EAGAIN") throw error;
    }
  }
}

async function ask(method: string, params: Json): Promise<Incoming> {
  asked += 1;
  const id = `s${asked}`;
  const { promise, resolve } = Promise.withResolvers<Incoming>();
  waiting.set(id, resolve);
  send({ id, method, params });
  return await promise;
}

async function receive(message: Incoming): Promise<void> {
  const { id, method, params } = message;
  seen.push(message);
  if (method === undefined) return waiting.get(id ?? "")?.(message);
  if (method === "initialize") {
    if (mode === "hang") return;
    if (mode === "leak") return send({ id, error: { code: -32_602, message: `bad token ${process.env["TOKEN"]}` } });
    if (mode === "choosy" && JSON.stringify(params).includes("refuse")) {
      return send({ id, error: { code: -32_602, message: "not like this" } });
    }
    return answer(id, {
      protocolVersion: "2025-06-18",
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        logging: {},
      },
      serverInfo: { name: "tested", version: "1.0.0" },
      instructions: "Use it well.",
    });
  }
  if (id === undefined) return;
  if (method === "tools/list") return answer(id, { tools });
  if (method === "tools/call") return await call(message);
  if (method === "resources/list") return answer(id, { resources: [{ uri: "test://a", name: "a" }] });
  if (method === "resources/templates/list") {
    return answer(id, { resourceTemplates: [{ uriTemplate: "test://{x}", name: "any" }] });
  }
  if (method === "resources/read") {
    return answer(id, { contents: [{ uri: params?.uri, text: `text of ${params?.uri}` }] });
  }
  if (method === "prompts/list") return answer(id, { prompts: [{ name: "greet" }] });
  if (method === "prompts/get") {
    return answer(id, { messages: [{ role: "user", content: { type: "text", text: "hello" } }] });
  }
  if (method === "completion/complete") return answer(id, { completion: { values: ["one", "two"] } });
  if (method === "unknown/method") return send({ id, error: { code: -32_601, message: "Method not found" } });
  answer(id, {});
}

if (mode === "exit") {
  process.stderr.write(`cannot go on with ${process.env["TOKEN"] ?? "nothing"}\u001b[31m!\n`);
  process.exit(3);
}
if (mode === "banner") process.stdout.write(`Welcome!\n{"jsonrpc":"2.0"\n\n${"=".repeat(200_000)}\n`);
if (mode === "root") {
  if (process.getuid?.() === 0) process.setuid?.(65_534);
  openSync("/etc/shadow", "r+");
}
if (mode === "flood") {
  const flood = () => process.stderr.write(`${"e".repeat(5_000)}\n`.repeat(20), () => setImmediate(flood));
  flood();
}
if (mode === "stubborn") process.on("SIGTERM", () => undefined);
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => void receive(JSON.parse(line)));
// One that does not end with its input.
if (mode === "stubborn") setInterval(() => undefined, 1_000);
