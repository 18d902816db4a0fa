// What a call to an agent costs beside what it could cost: send_message with the passthrough model in both eras, at the
// default scope and without histories, next to the SDK's own transport with one trivial tool, to a bare JSON echo, and to
// fast-agent with its passthrough model. All take turns, round by round, with the same client; ratios are those within a
// round.
import { defined } from "../../lib/process/defined.ts";
import { startAgent } from "./agent-under-test.ts";
import { benchEnvironment } from "./environment.ts";
import { fastAgentTool, openFastAgent } from "./fast-agent.ts";
import { runLoad, type Target } from "./mcp-load.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { startBareServer, type ServerUnderTest } from "./server-under-test.ts";
import { mebibyte } from "./process-usage.ts";

const { BENCH_ROUNDS: rounds, BENCH_CALLS: calls } = benchEnvironment;
const concurrencies = [1, 32] as const;
/** Slow peers get fewer calls, so that their turns are about as long. */
const fastAgentShare = 0.2;
const cpuGoal = 1.3;
const throughputGoal = 0.125;
const rssGoalMb = 130;
const rssRatioGoal = 1;

interface Turn {
  readonly callsPerSecond: number;
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Contender {
  readonly key: string;
  readonly label: string;
  readonly server: ServerUnderTest;
  readonly target: Target;
  /** In a turn. */
  readonly calls: number;
  /** By concurrency, a turn per round. */
  readonly turns: Map<number, Turn[]>;
}

function enter(
  key: string,
  label: string,
  server: ServerUnderTest,
  era: Target["era"],
  changes: Partial<Contender> = {},
): Contender {
  const target: Target = { url: `${server.url}/mcp`, tool: "send_message", era };
  return { key, label, server, target, calls, turns: new Map(concurrencies.map((each) => [each, []])), ...changes };
}

async function takeTurn({ server, target, turns, calls }: Contender, concurrency: number): Promise<void> {
  const before = await server.usage();
  const { seconds, latenciesMs } = await runLoad(target, { calls, concurrency });
  const { cpuSeconds } = await server.usage();
  turns.get(concurrency)?.push({
    callsPerSecond: calls / seconds,
    cpuMs: ((cpuSeconds - before.cpuSeconds) / calls) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  });
}

const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** The median over the rounds of `above` ÷ `below`. */
function ratioOf(above: Contender, below: Contender, concurrency: number, what: keyof Turn): number {
  const others = below.turns.get(concurrency) ?? [];
  return median((above.turns.get(concurrency) ?? []).map((turn, round) => turn[what] / (others[round]?.[what] ?? NaN)));
}

function renderFigures({ key, label, turns }: Contender): Figure[] {
  return [...turns].flatMap(([concurrency, taken]): Figure[] => {
    const show = (what: keyof Turn) => median(taken.map((turn) => turn[what]));
    const at = `${label}, ${concurrency} at a time`;
    return [
      { key: `${key}${concurrency}PerSecond`, label: `${at}: throughput`, value: show("callsPerSecond"), unit: "/s" },
      { key: `${key}${concurrency}CpuMs`, label: "  CPU a call", value: show("cpuMs"), unit: " ms" },
      { key: `${key}${concurrency}P50Ms`, label: "  p50", value: show("p50Ms"), unit: " ms" },
      { key: `${key}${concurrency}P99Ms`, label: "  p99", value: show("p99Ms"), unit: " ms" },
    ];
  });
}

async function measure() {
  await using keeping = await startAgent();
  await using agent = await startAgent({ scope: "request" });
  await using echo = await startBareServer("echo");
  await using bare2025 = await startBareServer("sdk-2025");
  await using bare2026 = await startBareServer("sdk-2026");
  const peer = await openFastAgent();
  await using fastAgent = typeof peer === "string" ? undefined : await peer.start();

  const kept2026 = enter("kept2026", "Pallas, 2026", keeping, "2026");
  const kept2025 = enter("kept2025", "Pallas, 2025", keeping, "2025");
  const own2026 = enter("own2026", "Pallas, scope request, 2026", agent, "2026");
  const own2025 = enter("own2025", "Pallas, scope request, 2025", agent, "2025");
  const sdk2026 = enter("sdk2026", "SDK alone, 2026", bare2026, "2026");
  const sdk2025 = enter("sdk2025", "SDK alone, 2025", bare2025, "2025");
  const plain = enter("echo", "node:http echo", echo, "plain");
  const contenders = [kept2026, own2026, sdk2026, kept2025, own2025, sdk2025, plain];
  const rival =
    fastAgent &&
    enter("fastAgent", "fast-agent, 2025", fastAgent, "2025", {
      target: { url: `${fastAgent.url}/mcp`, tool: fastAgentTool, era: "2025" },
      calls: Math.ceil(calls * fastAgentShare),
    });
  if (rival !== undefined) contenders.push(rival);

  for (const each of contenders) await takeTurn({ ...each, turns: new Map() }, 32); // not counted: caches and compilers warm up
  for (let round = 1; round <= rounds; round += 1) {
    reportProgress(`round ${round} of ${rounds}`);
    for (const concurrency of concurrencies) for (const each of contenders) await takeTurn(each, concurrency);
  }
  const cpuOf = (own: Contender, other: Contender, key: string, label: string, atMost?: number): Figure => {
    const value = Math.max(...concurrencies.map((concurrency) => ratioOf(own, other, concurrency, "cpuMs")));
    return { key, label, value, ...defined({ atMost }) };
  };
  const figures: Figure[] = [
    cpuOf(kept2026, sdk2026, "cpuToSdk2026", "CPU a call ÷ SDK's, 2026", cpuGoal),
    cpuOf(kept2025, sdk2025, "cpuToSdk2025", "CPU a call ÷ SDK's, 2025", cpuGoal),
    cpuOf(own2026, sdk2026, "cpuToSdkRequest2026", "  scope request, 2026", cpuGoal),
    cpuOf(own2025, sdk2025, "cpuToSdkRequest2025", "  scope request, 2025", cpuGoal),
    cpuOf(own2026, plain, "cpuToEcho2026", "  scope request, ÷ echo's, 2026"),
    cpuOf(own2025, plain, "cpuToEcho2025", "  scope request, ÷ echo's, 2025"),
    ...(await compareMemory([keeping, agent], rival)),
  ];
  if (rival !== undefined) {
    const throughputOf = (own: Contender): number =>
      Math.max(...concurrencies.map((each) => ratioOf(rival, own, each, "callsPerSecond")));
    const label = "fast-agent's throughput ÷ ours, 2025";
    figures.push(
      { key: "throughputOfFastAgent", label, value: throughputOf(kept2025), atMost: throughputGoal },
      { key: "throughputOfFastAgentRequest", label: "  scope request", value: throughputOf(own2025) },
    );
  }
  figures.push(...contenders.flatMap(renderFigures));
  return { figures, peer };
}

/** What the agents take after all rounds, and fast-agent after as many calls, which it makes up for first. */
async function compareMemory(
  [keeping, agent]: [ServerUnderTest, ServerUnderTest],
  rival?: Contender,
): Promise<Figure[]> {
  const callsOfAgent = 2 * (rounds * concurrencies.length + 1) * calls; // two eras; the first turn warms up
  const rssMbOf = async (server: ServerUnderTest): Promise<number> => (await server.usage()).rssBytes / mebibyte;
  const rssMb = await rssMbOf(keeping);
  const requestRssMb = await rssMbOf(agent);
  const label = `RSS after ${callsOfAgent} calls`;
  const figures: Figure[] = [
    { key: "rssMb", label, value: rssMb, unit: " MiB", atMost: rssGoalMb },
    { key: "rssRequestMb", label: "  scope request", value: requestRssMb, unit: " MiB", atMost: rssGoalMb },
  ];
  if (rival === undefined) return figures;
  reportProgress("fast-agent makes up for the calls that it was spared");
  const left = callsOfAgent - rival.calls * (rounds * concurrencies.length + 1);
  await runLoad(rival.target, { calls: left, concurrency: Math.max(...concurrencies) });
  const value = rssMb / (await rssMbOf(rival.server));
  figures.push({ key: "rssToFastAgent", label: "  ÷ fast-agent's after as many", value, atMost: rssRatioGoal });
  return figures;
}

const { figures, peer } = await measure();
printReport({
  name: "agent-call",
  ratio: Math.max(...figures.filter(({ atMost }) => atMost === cpuGoal).map(({ value }) => value)),
  goal: cpuGoal,
  agents: 1,
  figures,
  notes: [
    "The ratio is our CPU time a call ÷ that of the SDK's bare transport, in the worst of both eras and scopes; ratios are medians over the rounds.",
    "At the default scope histories are kept: two writes with fsync a call.",
    ...(typeof peer === "string" ? [peer] : []),
  ],
});
