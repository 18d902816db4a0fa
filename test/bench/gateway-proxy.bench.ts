// What the way through the gateway costs: send_message with the passthrough model, straight to an agent and by the built gateway
// in front of it, in both eras, with a token of a table and with one whose signature is checked each time. All take turns, round by
// round, with the same client; differences are those within a round.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiVersion } from "../../crds/names.ts";
import { renderClaims, startIssuer, type Issuer } from "../../lib/auth/testing/issuer.ts";
import { startAgent, type AgentUnderTest } from "./agent-under-test.ts";
import { benchEnvironment } from "./environment.ts";
import { createTokens, startGatewayUnderTest } from "./gateway-under-test.ts";
import { runLoad, type Target } from "./mcp-load.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";

const { BENCH_ROUNDS: rounds, BENCH_CALLS: calls } = benchEnvironment;
const addedGoalMs = 1;
const concurrencies = [1, 32] as const;
const eras = ["2025", "2026"] as const;
const ways = ["direct", "table", "signed"] as const;
type Way = (typeof ways)[number];
const [token = ""] = createTokens(1);

interface Turn {
  p50Ms: number;
  callsPerSecond: number;
  /** Of the gateway, for a call. */
  cpuMs: number;
}

const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** The instance and its one agent, as `pallas up` tells of them. */
function renderState({ url, adminUrl }: AgentUnderTest): string {
  const place = { namespace: "agents", instance: "bench", agent: "tech-research", pod: "tech-research" };
  const instance = {
    apiVersion,
    kind: "PallasInstance",
    metadata: { name: "bench", namespace: "agents" },
    spec: { registryNamespace: "com.example", defaultModel: "passthrough" },
  };
  const agent = {
    apiVersion,
    kind: "PallasAgent",
    metadata: { name: "tech-research", namespace: "agents" },
    spec: { instanceRef: { name: "bench" } },
    status: { url: `${url}/mcp` },
  };
  return JSON.stringify({ schema: 2, resources: [instance, agent], endpoints: [{ ...place, adminUrl }] });
}

const renderToken = (issuer: Issuer) =>
  issuer.sign(renderClaims(issuer, { team: "bench", exp: Math.floor(Date.now() / 1_000) + 86_400 }), { alg: "RS256" });

async function measure(dir: string) {
  await using agent = await startAgent({ scope: "request" });
  const issuer = await startIssuer();
  await using stack = new AsyncDisposableStack();
  stack.defer(issuer.stop);
  await writeFile(join(dir, "state.json"), renderState(agent));
  const options = { dir, instance: "bench", namespace: "agents", tokens: [token] };
  const env = { PALLAS_LOCAL_STATE: join(dir, "state.json") };
  const jwt = { issuer: issuer.url, audiences: ["pallas"], jwksUrl: issuer.jwksUrl };
  // An agent asks for the issuer's tokens where its instance has one, so a table's tokens need a gateway without.
  await using plain = await startGatewayUnderTest({ ...options, env });
  await using signing = await startGatewayUnderTest({ ...options, dir: join(dir, "signed"), env, jwt });
  const gateways = { table: plain, signed: signing };
  const bearers = { table: token, signed: await renderToken(issuer) };
  const targetOf = (way: Way, era: Target["era"]): Target => ({
    url: way === "direct" ? `${agent.url}/mcp` : `${gateways[way].url}/proxy/tech-research/mcp`,
    tool: "send_message",
    era,
    ...(way === "direct" ? {} : { headers: { authorization: `Bearer ${bearers[way]}` } }),
  });
  const takeTurn = async (way: Way, era: Target["era"], concurrency: number): Promise<Turn> => {
    const gateway = way === "direct" ? undefined : gateways[way];
    const before = await gateway?.usage();
    const { latenciesMs, seconds } = await runLoad(targetOf(way, era), { calls, concurrency });
    const cpuSeconds = ((await gateway?.usage())?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0);
    return { p50Ms: median(latenciesMs), callsPerSecond: calls / seconds, cpuMs: (cpuSeconds * 1_000) / calls };
  };
  const pairs = eras.flatMap((era) =>
    concurrencies.map((concurrency) => ({ era, concurrency, turns: [] as Record<Way, Turn>[] })),
  );
  for (const era of eras) for (const way of ways) await takeTurn(way, era, 32); // not counted: caches and compilers warm up
  for (let round = 1; round <= rounds; round += 1) {
    reportProgress(`round ${round} of ${rounds}`);
    for (const { era, concurrency, turns } of pairs) {
      const direct = await takeTurn("direct", era, concurrency);
      const table = await takeTurn("table", era, concurrency);
      turns.push({ direct, table, signed: await takeTurn("signed", era, concurrency) });
    }
  }
  return pairs;
}

type Pair = Awaited<ReturnType<typeof measure>>[number];
const words = { table: "a token of a table", signed: "a token that is signed" };

const addedBy = ({ turns }: Pair, way: Way): number => median(turns.map((turn) => turn[way].p50Ms - turn.direct.p50Ms));

function renderFigures(pair: Pair): Figure[] {
  const { era, concurrency, turns } = pair;
  const key = `${concurrency}In${era}`;
  const straight = median(turns.map(({ direct }) => direct.p50Ms));
  const label = `${era}, ${concurrency} at a time: p50 straight`;
  const through = (["table", "signed"] as const).flatMap((way): Figure[] => [
    {
      key: `${way}Added${key}Ms`,
      label: `  added with ${words[way]}`,
      value: addedBy(pair, way),
      unit: " ms",
      ...(concurrency === 1 ? { atMost: addedGoalMs } : {}),
    },
    {
      key: `${way}Cpu${key}Ms`,
      label: "    its CPU a call",
      value: median(turns.map((turn) => turn[way].cpuMs)),
      unit: " ms",
    },
    {
      key: `${way}Throughput${key}`,
      label: "    throughput ÷ straight",
      value: median(turns.map((turn) => turn[way].callsPerSecond / turn.direct.callsPerSecond)),
    },
  ]);
  return [{ key: `direct${key}Ms`, label, value: straight, unit: " ms" }, ...through];
}

const dir = await mkdtemp(join(tmpdir(), "pallas-bench-"));
try {
  const pairs = await measure(dir);
  const alone = pairs.filter(({ concurrency }) => concurrency === 1);
  const added = Math.max(...alone.flatMap((pair) => [addedBy(pair, "table"), addedBy(pair, "signed")]));
  printReport({
    name: "gateway-proxy",
    ratio: added / addedGoalMs,
    goal: 1,
    agents: 1,
    figures: pairs.flatMap(renderFigures),
    notes: [
      "The ratio is what the gateway adds to the median call, one at a time, ÷ 1 ms, in the worse era and by either token.",
    ],
  });
} finally {
  await rm(dir, { recursive: true, force: true });
}
