// What a policy that allows everything takes off an agent's throughput: an agent with 20 rules, each tried on each call, beside the
// same agent without a policy, in turns. Once with the load of agent-call, where no tool is called, and once with runs of
// ten model calls with two tool calls each.
import type { LiveConfig, RunConfig } from "../../crds/run-config.ts";
import { metricNames } from "../../crds/metric-names.ts";
import { startModelMock } from "../models/model-mock.ts";
import { startAgent, type AgentUnderTest } from "./agent-under-test.ts";
import { benchEnvironment } from "./environment.ts";
import { runLoad } from "./mcp-load.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { callsAStep, renderRunConfig, scriptRuns, startToolServer, steps } from "./tool-runs.ts";
import { renderTriedRules, triedArguments } from "./tried-rules.ts";

const { BENCH_ROUNDS: rounds, BENCH_CALLS: calls } = benchEnvironment;
const goal = 0.97;
const msPerSecond = 1_000;

interface Load {
  readonly key: string;
  readonly label: string;
  /** In a turn. */
  readonly calls: number;
  readonly concurrency: number;
  readonly config: Partial<RunConfig>;
  /** Calls of tools in each call of the agent. */
  readonly judged: number;
}

interface Taken {
  seconds: number;
  cpuSeconds: number;
}

const live: LiveConfig = {
  schema: 1,
  severalPods: false,
  policy: { name: "gate", generation: 1, rules: renderTriedRules("tools", "look_up") },
};

async function takeTurn({ calls: wanted, concurrency }: Load, agent: AgentUnderTest): Promise<Taken> {
  const before = await agent.usage();
  const target = { url: `${agent.url}/mcp`, tool: "send_message", era: "2026" } as const;
  const { seconds } = await runLoad(target, { calls: wanted, concurrency });
  return { seconds, cpuSeconds: (await agent.usage()).cpuSeconds - before.cpuSeconds };
}

async function readAllowed({ adminUrl }: AgentUnderTest): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const found = new RegExp(`^${metricNames.policyDecisionsTotal}\\{[^}]*decision="allow"[^}]*\\} (\\d+)$`, "m").exec(
    text,
  );
  return Number(found?.[1] ?? Number.NaN);
}

/** Each round is without, with, with, without, so that a machine that grows slower is so for both. */
async function compare(load: Load): Promise<Figure[]> {
  await using without = await startAgent(load.config);
  await using judged = await startAgent({ ...load.config, policy: true }, live);
  for (const agent of [without, judged]) await takeTurn(load, agent); // not counted: caches and compilers warm up
  const turns: [without: Taken, judged: Taken][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    reportProgress(`${load.key}: round ${round} of ${rounds}`);
    const [first, second] = [await takeTurn(load, without), await takeTurn(load, judged)];
    const [third, fourth] = [await takeTurn(load, judged), await takeTurn(load, without)];
    turns.push([add(first, fourth), add(second, third)]);
  }
  const made = (1 + 2 * rounds) * load.calls * load.judged;
  const allowed = await readAllowed(judged);
  if (allowed !== made) throw new Error(`expected ${made} calls to be judged and allowed, found ${allowed}`);
  const median = (of: (turn: (typeof turns)[number]) => number): number => percentile(turns.map(of), 0.5);
  const cpuMsOf = (taken: Taken): number => (taken.cpuSeconds / (2 * load.calls)) * msPerSecond;
  return [
    {
      key: `${load.key}Throughput`,
      label: `${load.label}: calls/s with a policy ÷ without`,
      value: median(([plain, own]) => plain.seconds / own.seconds),
      atLeast: goal,
    },
    {
      key: `${load.key}Cpu`,
      label: "  CPU a call ÷",
      value: median(([plain, own]) => own.cpuSeconds / plain.cpuSeconds),
    },
    {
      key: `${load.key}PerSecond`,
      label: "  calls/s with",
      value: median(([, own]) => (2 * load.calls) / own.seconds),
    },
    { key: `${load.key}CpuMs`, label: "  CPU a call with", value: median(([, own]) => cpuMsOf(own)), unit: " ms" },
  ];
}

const add = (one: Taken, other: Taken): Taken => ({
  seconds: one.seconds + other.seconds,
  cpuSeconds: one.cpuSeconds + other.cpuSeconds,
});

let asked = 0;
await using model = await startMock();
using tools = await startToolServer();
const runConfig = { ...renderRunConfig(model.openaiUrl, tools.url), scope: "request" } as const;
const loads: Load[] = [
  {
    ...{ key: "call", label: "a call without tools, 32 at a time", calls, concurrency: 32 },
    ...{ config: { scope: "request" }, judged: 0 },
  },
  {
    ...{ key: "run", label: "a run of 20 tool calls", calls: Math.ceil(calls / 50), concurrency: 1 },
    ...{ config: runConfig, judged: steps * callsAStep },
  },
];
const figures: Figure[] = [];
for (const load of loads) figures.push(...(await compare(load)));

printReport({
  name: "agent-policy",
  ratio: goal / Math.min(...figures.filter(({ atLeast }) => atLeast !== undefined).map(({ value }) => value)),
  goal: 1,
  agents: 1,
  figures,
  notes: [
    `The ratio is ${goal} ÷ the lower of the two throughputs, each with a policy ÷ without, as medians over the rounds.`,
    `20 rules, ${JSON.stringify(triedArguments).length} bytes of arguments; scope request, 2026 generation.`,
  ],
});

async function startMock() {
  const wait = () => Promise.resolve();
  const clock = { now: () => performance.now(), wait };
  const mock = await startModelMock(() => scriptRuns(asked++, triedArguments), { clock });
  return { openaiUrl: mock.openaiUrl, [Symbol.asyncDispose]: () => mock.close() };
}
