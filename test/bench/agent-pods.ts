// Many agents' admin ports in one process, below a path each: most answer with series as large as a real agent's, some
// never, some with garbage. Started by a benchmark with their numbers; prints its URL.
import { createServer, type ServerResponse } from "node:http";
import { Counter, Gauge, Histogram } from "prom-client";
import type { HealthReport } from "../../crds/health.ts";
import { durationBuckets, metricNames, operations, tokenKinds } from "../../crds/metric-names.ts";
import { createMetrics } from "../../lib/process/metrics.ts";

const [hung = 0, garbage = 0] = process.argv.slice(2).map(Number);
const servers = ["search", "files", "mail"];

/** What an agent with three servers says after some work. */
async function renderSeries(): Promise<string> {
  const { registry, render } = createMetrics();
  const registers = [registry];
  const agent = "research";
  const model = "claude-sonnet";
  const messages = new Histogram({
    name: metricNames.sendMessageSeconds,
    help: "How long messages took.",
    labelNames: ["agent"],
    buckets: durationBuckets,
    registers,
  });
  messages.observe({ agent }, 12);
  const tokens = new Counter({
    name: metricNames.llmTokensTotal,
    help: "Tokens.",
    labelNames: ["agent", "model", "kind"],
    registers,
  });
  for (const kind of tokenKinds) tokens.inc({ agent, model, kind }, 1_000);
  const calls = new Histogram({
    name: metricNames.toolCallSeconds,
    help: "How long calls of tools took.",
    labelNames: ["agent", "server", "operation"],
    buckets: durationBuckets,
    registers,
  });
  const up = new Gauge({
    name: metricNames.downstreamUp,
    help: "1 while the server answers.",
    labelNames: ["agent", "server"],
    registers,
  });
  for (const server of servers) {
    up.set({ agent, server }, 1);
    for (const operation of operations) calls.observe({ agent, server, operation }, 1);
  }
  return (await render()).body;
}

const series = await renderSeries();

function answerMetrics(pod: number, response: ServerResponse): void {
  if (pod < hung) response.writeHead(200).flushHeaders();
  else response.writeHead(200).end(pod < hung + garbage ? `${series}<html>not a line\n` : series);
}

function answerHealth(pod: number, response: ServerResponse): void {
  const timestamp = new Date().toISOString();
  const report: HealthReport = { status: "ok", timestamp, agent: `agent-${pod}`, providers: {}, downstreams: {} };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(report));
}

const server = createServer(({ url = "" }, response) => {
  const [, pod = "", what] = url.split("/");
  if (what === "metrics") answerMetrics(Number(pod), response);
  else answerHealth(Number(pod), response);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected to listen on a TCP port");
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
