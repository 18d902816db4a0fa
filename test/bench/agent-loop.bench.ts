// What an agent itself spends on a run of ten steps with two tool calls each, against the model mock and a trivial tool
// server in this process. Its own time is the length of the run less the time in which one of those two had a request of
// its; what connections, this client and a busy machine take counts as the agent's.
import { startModelMock } from "../models/model-mock.ts";
import { startAgent } from "./agent-under-test.ts";
import { benchEnvironment } from "./environment.ts";
import { runLoad } from "./mcp-load.ts";
import { mebibyte } from "./process-usage.ts";
import { percentile, printReport, reportProgress } from "./report.ts";
import { renderRunConfig, scriptRuns, startToolServer, steps } from "./tool-runs.ts";

const warmUpRuns = 10;
const runsPerRound = 10;
const goalMs = 5;
const rssGoalMb = 150;

/** When something was being answered here, as pairs of start and end. */
type Spans = (readonly [startMs: number, endMs: number])[];

/** The time that the spans cover, which may overlap. */
function coveredMs(spans: Spans): number {
  let total = 0;
  let coveredTo = Number.NEGATIVE_INFINITY;
  for (const [startMs, endMs] of spans.toSorted(([a], [b]) => a - b)) {
    total += Math.max(0, endMs - Math.max(startMs, coveredTo));
    coveredTo = Math.max(coveredTo, endMs);
  }
  return total;
}

async function measure() {
  const spans: Spans = [];
  let asked = 0;
  const wait = () => Promise.resolve();
  const model = await startModelMock(() => scriptRuns(asked++), { clock: { now: () => performance.now(), wait } });
  await using _mock = { [Symbol.asyncDispose]: () => model.close() };
  using tools = await startToolServer((...span) => void spans.push(span));
  await using agent = await startAgent(renderRunConfig(model.openaiUrl, tools.url));
  const target = { url: `${agent.url}/mcp`, tool: "send_message", era: "2025" } as const;
  const run = async () => {
    spans.length = 0;
    const requestsBefore = model.requests.length;
    const [wholeMs = Number.NaN] = (await runLoad(target, { calls: 1, concurrency: 1 })).latenciesMs;
    for (const { arrivedAtMs, endedAtMs = Number.NaN } of model.requests.slice(requestsBefore)) {
      spans.push([arrivedAtMs, endedAtMs]);
    }
    return { wholeMs, ownMs: wholeMs - coveredMs(spans), turns: model.requests.length - requestsBefore };
  };
  for (let each = 0; each < warmUpRuns; each += 1) await run();
  const before = await agent.usage();
  const runs = [];
  for (let round = 1; round <= benchEnvironment.BENCH_ROUNDS; round += 1) {
    reportProgress(`round ${round} of ${benchEnvironment.BENCH_ROUNDS}`);
    for (let each = 0; each < runsPerRound; each += 1) runs.push(await run());
  }
  const after = await agent.usage();
  return { runs, cpuMs: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / runs.length, rssBytes: after.rssBytes };
}

const { runs, cpuMs, rssBytes } = await measure();
const ownMs = runs.map((run) => run.ownMs / steps);
const ownStepMs = percentile(ownMs, 0.5);
printReport({
  name: "agent-loop",
  ratio: ownStepMs / goalMs,
  goal: 1,
  agents: 1,
  figures: [
    {
      key: "turns",
      label: "model calls a run",
      value: percentile(
        runs.map((run) => run.turns),
        0.5,
      ),
    },
    { key: "ownStepMs", label: "own time a step, median", value: ownStepMs, unit: " ms", atMost: goalMs },
    { key: "ownStepMinMs", label: "  the least", value: Math.min(...ownMs), unit: " ms" },
    { key: "ownStepP90Ms", label: "  p90", value: percentile(ownMs, 0.9), unit: " ms" },
    { key: "cpuStepMs", label: "CPU a step", value: cpuMs / steps, unit: " ms" },
    {
      key: "wholeMs",
      label: "a whole run",
      value: percentile(
        runs.map((run) => run.wholeMs),
        0.5,
      ),
      unit: " ms",
    },
    { key: "rssMb", label: "RSS afterwards", value: rssBytes / mebibyte, unit: " MiB", atMost: rssGoalMb },
  ],
  notes: [
    "A step is a model call and two tool calls side by side; the last answer's model call is in the figures too.",
    "At the default scope: each run has a session of its own, whose history is written.",
  ],
});
