// What the way through the gateway costs: send_message with the passthrough model, straight to an agent and by the gateway's
// proxy in front of it, in both eras. Both take turns, round by round, with the same client; differences are those within a
// round.
import { startAgent } from "./agent-under-test.ts";
import { benchEnvironment } from "./environment.ts";
import { runLoad, type Target } from "./mcp-load.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { startBareServer } from "./server-under-test.ts";

const { BENCH_ROUNDS: rounds, BENCH_CALLS: calls } = benchEnvironment;
const addedGoalMs = 1;
const concurrencies = [1, 32] as const;
const eras = ["2025", "2026"] as const;

const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

async function takeTurn(target: Target, concurrency: number): Promise<{ p50Ms: number; callsPerSecond: number }> {
  const { latenciesMs, seconds } = await runLoad(target, { calls, concurrency });
  return { p50Ms: percentile(latenciesMs, 0.5), callsPerSecond: calls / seconds };
}

async function measure(): Promise<{ added: number; figures: Figure[] }> {
  await using agent = await startAgent({ scope: "request" });
  await using proxy = await startBareServer("gateway-proxy", [agent.url]);
  const targetOf = (url: string, era: Target["era"]): Target => ({ url, tool: "send_message", era });
  const pairs = eras.flatMap((era) =>
    concurrencies.map((concurrency) => ({
      era,
      concurrency,
      direct: targetOf(`${agent.url}/mcp`, era),
      proxied: targetOf(`${proxy.url}/proxy/tech-research/mcp`, era),
      turns: [] as { direct: number; proxied: number; share: number }[],
    })),
  );
  for (const { direct, proxied } of pairs) {
    await takeTurn(direct, 32); // not counted: caches and compilers warm up
    await takeTurn(proxied, 32);
  }
  for (let round = 1; round <= rounds; round += 1) {
    reportProgress(`round ${round} of ${rounds}`);
    for (const { direct, proxied, concurrency, turns } of pairs) {
      const [straight, through] = [await takeTurn(direct, concurrency), await takeTurn(proxied, concurrency)];
      const share = through.callsPerSecond / straight.callsPerSecond;
      turns.push({ direct: straight.p50Ms, proxied: through.p50Ms, share });
    }
  }
  const addedOf = (turns: (typeof pairs)[number]["turns"]) => median(turns.map((each) => each.proxied - each.direct));
  const figures = pairs.flatMap(({ era, concurrency, turns }): Figure[] => {
    const key = `${concurrency}In${era}`;
    const at = `${era}, ${concurrency} at a time`;
    return [
      {
        key: `direct${key}Ms`,
        label: `${at}: p50 straight`,
        value: median(turns.map((each) => each.direct)),
        unit: " ms",
      },
      {
        key: `proxied${key}Ms`,
        label: "  through the gateway",
        value: median(turns.map((each) => each.proxied)),
        unit: " ms",
      },
      {
        key: `added${key}Ms`,
        label: "  added",
        value: addedOf(turns),
        unit: " ms",
        ...(concurrency === 1 ? { atMost: addedGoalMs } : {}),
      },
      { key: `throughput${key}`, label: "  throughput ÷ straight", value: median(turns.map((each) => each.share)) },
    ];
  });
  const alone = pairs.filter(({ concurrency }) => concurrency === 1);
  return { added: Math.max(...alone.map(({ turns }) => addedOf(turns))), figures };
}

const { added, figures } = await measure();
printReport({
  name: "gateway-proxy",
  ratio: added / addedGoalMs,
  goal: 1,
  agents: 1,
  figures,
  notes: ["The ratio is what the gateway adds to the median call, one at a time, ÷ 1 ms, in the worse era."],
});
