// The same calls as mcp-load.ts, on the standard streams of a server itself: what a bridge can at best come near.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { sentText, type LoadResult } from "./mcp-load.ts";

/** A process for each of `concurrency`, as bridges have one for each session. */
export async function runStdioLoad(
  command: readonly string[],
  { calls, concurrency }: { calls: number; concurrency: number },
): Promise<LoadResult> {
  const workers = await Promise.all(Array.from({ length: concurrency }, () => openWorker(command)));
  const latenciesMs: number[] = [];
  let left = calls;
  const startedAt = performance.now();
  await Promise.all(
    workers.map(async ({ call }) => {
      while (left-- > 0) {
        const calledAt = performance.now();
        await call();
        latenciesMs.push(performance.now() - calledAt);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const worker of workers) worker.end();
  return { seconds, latenciesMs };
}

async function openWorker([program = "", ...args]: readonly string[]) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params: object): Promise<string> => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { done, value } = await lines.next();
    if (done === true) throw new Error("expected an answer of the server, found its end");
    return value;
  };
  await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    async call() {
      const answer = await ask("tools/call", { name: "echo", arguments: { message: sentText } });
      if (!answer.includes(sentText)) throw new Error(`expected the text that was sent, found ${answer}`);
    },
    end: () => void child.kill(),
  };
}
