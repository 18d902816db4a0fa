// What a bridge costs: calls of a tool on a stdio server's own streams, and through the built bridge and two that others have
// published, before the same server. All take turns, round by round; differences and ratios are those within a round.
import { setTimeout as delay } from "node:timers/promises";
import {
  bridges,
  serverCommand,
  startBridgeUnderTest,
  type BridgeName,
  type BridgeUnderTest,
} from "./bridge-under-test.ts";
import { benchEnvironment } from "./environment.ts";
import { runLoad, type LoadResult } from "./mcp-load.ts";
import { mebibyte } from "./process-usage.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { runStdioLoad } from "./stdio-load.ts";

const { BENCH_ROUNDS: rounds, BENCH_CALLS: calls } = benchEnvironment;
const goals = { addedMs: 1.5, cpuShare: 0.5, restMiB: 90 };
const concurrencies = [1, 8] as const;
const restMs = 3_000;

interface Turn {
  p50Ms: number;
  /** Of the bridge, for a call. */
  cpuMs: number;
}
type Round = Record<BridgeName | "bare", Turn>;

const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

async function takeTurn(bridge: BridgeUnderTest | undefined, concurrency: number): Promise<Turn> {
  const load = { calls, concurrency };
  const before = await bridge?.usage();
  const run = (): Promise<LoadResult> =>
    bridge === undefined
      ? runStdioLoad(serverCommand, load)
      : runLoad({ url: bridge.url, tool: "echo", era: "2025" }, load);
  const { latenciesMs } = await run();
  const cpuSeconds = ((await bridge?.usage())?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0);
  return { p50Ms: median(latenciesMs), cpuMs: (cpuSeconds * 1_000) / calls };
}

async function measure() {
  await using stack = new AsyncDisposableStack();
  const started = new Map<BridgeName, BridgeUnderTest>();
  const restMiB = new Map<BridgeName, number>();
  for (const name of bridges) {
    const bridge = stack.use(await startBridgeUnderTest(name));
    started.set(name, bridge);
    await delay(restMs);
    restMiB.set(name, (await bridge.usage()).rssBytes / mebibyte);
  }
  const turns = concurrencies.map((concurrency) => ({ concurrency, rounds: [] as Round[] }));
  // Not counted: caches and compilers warm up.
  for (const bridge of started.values()) await takeTurn(bridge, 1);
  for (let round = 1; round <= rounds; round += 1) {
    reportProgress(`round ${round} of ${rounds}`);
    for (const { concurrency, rounds: taken } of turns) {
      const bare = await takeTurn(undefined, concurrency);
      const [pallas, proxy, gateway] = [
        await takeTurn(started.get("pallas"), concurrency),
        await takeTurn(started.get("mcp-proxy"), concurrency),
        await takeTurn(started.get("supergateway"), concurrency),
      ];
      taken.push({ bare, pallas, "mcp-proxy": proxy, supergateway: gateway });
    }
  }
  return { turns, restMiB };
}

type Measured = Awaited<ReturnType<typeof measure>>;

function renderFigures({ concurrency, rounds: taken }: Measured["turns"][number]): Figure[] {
  const added = (name: BridgeName) => median(taken.map((round) => round[name].p50Ms - round.bare.p50Ms));
  const figure = (name: BridgeName): Figure[] => [
    {
      key: `added${name}${concurrency}Ms`,
      label: `  added by ${name}`,
      value: added(name),
      unit: " ms",
      ...(name === "pallas" && concurrency === 1 ? { atMost: goals.addedMs } : {}),
    },
    {
      key: `cpu${name}${concurrency}Ms`,
      label: "    its CPU a call",
      value: median(taken.map((round) => round[name].cpuMs)),
      unit: " ms",
    },
    ...(name === "pallas"
      ? []
      : [
          {
            key: `cpuShareOf${name}${concurrency}`,
            label: `    CPU of pallas ÷ ${name}`,
            value: median(taken.map((round) => round.pallas.cpuMs / round[name].cpuMs)),
            atMost: goals.cpuShare,
          },
        ]),
  ];
  const bare = median(taken.map((round) => round.bare.p50Ms));
  const label = `${concurrency} at a time: p50 of the bare server`;
  return [{ key: `bare${concurrency}Ms`, label, value: bare, unit: " ms" }, ...bridges.flatMap(figure)];
}

const { turns, restMiB } = await measure();
const atRest = bridges.map((name): Figure => ({
  key: `rest${name}MiB`,
  label: `${name} at rest`,
  value: restMiB.get(name) ?? Number.NaN,
  unit: " MiB",
  ...(name === "pallas" ? { atMost: goals.restMiB } : {}),
}));
const figures = turns.flatMap(renderFigures);
const shares = figures.filter(({ key }) => key.startsWith("cpuShareOf"));
printReport({
  name: "bridge",
  ratio: Math.max(...shares.map(({ value }) => value)) / goals.cpuShare,
  goal: 1,
  agents: 0,
  figures: [...figures, ...atRest],
  notes: [
    "The ratio is the bridge's CPU for a call ÷ that of the better of the two others, ÷ 0.5.",
    "Memory and CPU are the bridge's own, without the processes of the server.",
    "Sessions have a process each, but those of mcp-proxy share one.",
  ],
});
