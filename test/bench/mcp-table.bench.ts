// What 10,000 tools in a table cost: from spawn until the endpoint answers, its resident memory after a list and a call, and a
// call's time, beside the same endpoint with one tool, in turns.
import { setTimeout as delay } from "node:timers/promises";
import { defined } from "../../lib/process/defined.ts";
import { benchEnvironment } from "./environment.ts";
import { mebibyte } from "./process-usage.ts";
import { percentile, printReport, reportProgress } from "./report.ts";
import { startBareServer } from "./server-under-test.ts";

const { BENCH_ROUNDS: rounds } = benchEnvironment;
const tools = 10_000;
const startGoalMs = 100;
const memoryGoalMb = 40;
const callRatioGoal = 1.2;
const calls = 300;
const restMs = 2_000;

interface Run {
  readonly startMs: number;
  readonly rssMb: number;
  readonly callMs: number;
  readonly pages: number;
}

async function post(url: string, method: string, params: object, name?: string): Promise<unknown> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...defined({ "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const answer: { result?: unknown } = JSON.parse(await response.text());
  if (answer.result === undefined) throw new Error(`expected a result of ${method}, found ${JSON.stringify(answer)}`);
  return answer.result;
}

/** All pages of the list. */
async function list(url: string): Promise<number> {
  let cursor: unknown;
  for (let pages = 1; ; pages += 1) {
    const page: unknown = await post(url, "tools/list", cursor === undefined ? {} : { cursor });
    cursor = Reflect.get(Object(page), "nextCursor");
    if (cursor === undefined) return pages;
  }
}

async function measureCall(url: string, count: number): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const name = `collection_${(at * 31) % count}__search`;
    const startedAt = performance.now();
    await post(url, "tools/call", { name, arguments: { query: "bench", limit: 5 } }, name);
    times.push(performance.now() - startedAt);
  }
  return percentile(times, 0.5);
}

async function measure(count: number): Promise<Run> {
  await using server = await startBareServer("mcp-table", [String(count)]);
  const pages = await list(server.url);
  const callMs = await measureCall(server.url, count);
  await delay(restMs);
  return { startMs: server.startMs, rssMb: (await server.usage()).rssBytes / mebibyte, callMs, pages };
}

const few: Run[] = [];
const many: Run[] = [];
for (let round = 1; round <= rounds; round += 1) {
  reportProgress(`round ${round} of ${rounds}`);
  few.push(await measure(1));
  many.push(await measure(tools));
}
const median = (runs: readonly Run[], what: keyof Run) =>
  percentile(
    runs.map((run) => run[what]),
    0.5,
  );
const more = (what: keyof Run) => median(many, what) - median(few, what);
printReport({
  name: "mcp-table",
  ratio: median(many, "callMs") / median(few, "callMs"),
  goal: callRatioGoal,
  agents: 1,
  figures: [
    { key: "moreStartMs", label: "spawn → ready, more", value: more("startMs"), unit: " ms", atMost: startGoalMs },
    { key: "fewStartMs", label: "  with one tool", value: median(few, "startMs"), unit: " ms" },
    {
      key: "moreRssMb",
      label: "RSS after lists and calls, more",
      value: more("rssMb"),
      unit: " MiB",
      atMost: memoryGoalMb,
    },
    { key: "fewRssMb", label: "  with one tool", value: median(few, "rssMb"), unit: " MiB" },
    { key: "callMs", label: "a call, p50", value: median(many, "callMs"), unit: " ms" },
    { key: "fewCallMs", label: "  with one tool", value: median(few, "callMs"), unit: " ms" },
    { key: "pages", label: "pages of the list", value: median(many, "pages") },
  ],
  notes: [
    `The ratio is a call's p50 with ${tools} tools ÷ that with one. Memory counts the tools themselves, with schemas of some 500 bytes.`,
  ],
});
