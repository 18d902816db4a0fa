// How soon an agent can be called and what it takes while nobody calls: from spawn until it answers, and its resident
// memory some seconds later; next to fast-agent, in turns. Bare servers, bundled alike, say how much of both is not ours.
import { setTimeout as delay } from "node:timers/promises";
import { startAgent } from "./agent-under-test.ts";
import { benchEnvironment } from "./environment.ts";
import { openFastAgent } from "./fast-agent.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { startBareServer, type ServerUnderTest } from "./server-under-test.ts";
import { mebibyte } from "./process-usage.ts";

const { BENCH_ROUNDS: rounds } = benchEnvironment;
const startGoalMs = 400;
const startRatioGoal = 0.15;
const rssRatioGoal = 0.7;
const rssGoalMb = 85;
const restMs = 5_000;

interface Start {
  readonly startMs: number;
  readonly startCpuMs: number;
  readonly rssMb: number;
  readonly peakRssMb: number;
}

async function measureStart(start: () => Promise<ServerUnderTest>): Promise<Start> {
  await using server = await start();
  await delay(restMs);
  const { rssBytes, peakRssBytes } = await server.usage();
  return {
    startMs: server.startMs,
    startCpuMs: server.startUsage.cpuSeconds * 1_000,
    rssMb: rssBytes / mebibyte,
    peakRssMb: peakRssBytes / mebibyte,
  };
}

async function measure() {
  const peer = await openFastAgent();
  const own: Start[] = [];
  const echo: Start[] = [];
  const sdk2025: Start[] = [];
  const sdk2026: Start[] = [];
  const rival: Start[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    reportProgress(`round ${round} of ${rounds}`);
    own.push(await measureStart(() => startAgent()));
    echo.push(await measureStart(() => startBareServer("echo")));
    sdk2025.push(await measureStart(() => startBareServer("sdk-2025")));
    sdk2026.push(await measureStart(() => startBareServer("sdk-2026")));
    if (typeof peer !== "string") rival.push(await measureStart(() => peer.start()));
  }
  return { own, echo, sdk2025, sdk2026, rival, peer };
}

const { own, echo, sdk2025, sdk2026, rival, peer } = await measure();
const median = (starts: readonly Start[], what: keyof Start) =>
  percentile(
    starts.map((start) => start[what]),
    0.5,
  );
const ratio = (what: keyof Start) =>
  percentile(
    own.map((start, round) => start[what] / (rival[round]?.[what] ?? Number.NaN)),
    0.5,
  );
const describe = (key: string, label: string, starts: readonly Start[]): Figure[] => [
  { key: `${key}StartMs`, label: `${label}: spawn → ready`, value: median(starts, "startMs"), unit: " ms" },
  { key: `${key}StartCpuMs`, label: "  CPU until then", value: median(starts, "startCpuMs"), unit: " ms" },
  { key: `${key}RssMb`, label: "  RSS 5 s later", value: median(starts, "rssMb"), unit: " MiB" },
];
const startMs = median(own, "startMs");
printReport({
  name: "agent-start",
  ratio: startMs / startGoalMs,
  goal: 1,
  agents: 1,
  figures: [
    { key: "startMs", label: "spawn → ready", value: startMs, unit: " ms", atMost: startGoalMs },
    { key: "startMinMs", label: "  the fastest", value: Math.min(...own.map((start) => start.startMs)), unit: " ms" },
    { key: "startCpuMs", label: "  CPU until then", value: median(own, "startCpuMs"), unit: " ms" },
    { key: "rssMb", label: "RSS 5 s later", value: median(own, "rssMb"), unit: " MiB", atMost: rssGoalMb },
    { key: "peakRssMb", label: "  the most so far", value: median(own, "peakRssMb"), unit: " MiB" },
    ...(rival.length === 0
      ? []
      : [
          {
            key: "startToFastAgent",
            label: "spawn → ready ÷ fast-agent's",
            value: ratio("startMs"),
            atMost: startRatioGoal,
          },
          { key: "startCpuToFastAgent", label: "  CPU until then ÷ fast-agent's", value: ratio("startCpuMs") },
          { key: "rssToFastAgent", label: "RSS ÷ fast-agent's", value: ratio("rssMb"), atMost: rssRatioGoal },
          ...describe("fastAgent", "fast-agent", rival),
        ]),
    ...describe("sdk2025", "SDK alone, 2025", sdk2025),
    ...describe("sdk2026", "SDK alone, 2026", sdk2026),
    ...describe("echo", "node:http echo", echo),
  ],
  notes: [
    "The ratio is spawn → ready ÷ its goal. Without a compile cache, as in an image. All figures are medians over the rounds.",
    ...(typeof peer === "string" ? [peer] : []),
  ],
});
