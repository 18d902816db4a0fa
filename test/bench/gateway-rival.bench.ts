// The same tool servers registered with our gateway and with ContextForge in one run: how long until all tools of a server are
// listed, what the way through adds to a call, and what memory and CPU that takes. Both take turns, server by server and round
// by round; ratios are those within a turn.
import { setTimeout as delay } from "node:timers/promises";
import { contextForgeVersion, startContextForge } from "./contextforge.ts";
import { benchEnvironment } from "./environment.ts";
import { runLoad, type Target } from "./mcp-load.ts";
import { mebibyte } from "./process-usage.ts";
import { startRegisteringGateway } from "./registering-gateway.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { startBareServer } from "./server-under-test.ts";
import type { RegisteredServer, ToolGateway } from "./tool-gateway.ts";

const { BENCH_ROUNDS: rounds, BENCH_CALLS: calls } = benchEnvironment;
const ratioGoal = 0.5;
const servers = 20;
const toolsEach = 20;
const concurrencies = [1, 8] as const;
/** The rival takes that many times fewer calls in a turn, or a run would take an hour. */
const spared = 10;
const echo = "echo";
const listTimeoutMs = 60_000;
const pollMs = 2;

const ways = ["ours", "rival"] as const;
type Way = (typeof ways)[number];
type Each<Value> = Record<Way, Value>;

interface Turn {
  p50Ms: number;
  callsPerSecond: number;
  /** Of the gateway, for a call. */
  cpuMs: number;
}

const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** Milliseconds from registering it until all its tools are listed. */
async function registerUntilListed(gateway: ToolGateway, name: string, url: string) {
  const startedAt = performance.now();
  const server = await gateway.register(name, url);
  for (;;) {
    const { length } = await server.listTools();
    if (length === toolsEach) return { server, listedMs: performance.now() - startedAt };
    if (performance.now() - startedAt > listTimeoutMs) {
      throw new Error(`expected ${toolsEach} tools of ${name} within ${listTimeoutMs} ms, found ${length}`);
    }
    await delay(pollMs);
  }
}

/** The first server is not counted: it opens files and warms caches. */
async function measureListing(gateways: Each<ToolGateway>, toolsUrl: string) {
  const listed: Each<number>[] = [];
  let last: Each<RegisteredServer> | undefined;
  for (let at = 0; at <= servers; at += 1) {
    const take = (way: Way) => registerUntilListed(gateways[way], `tools-${at}`, `${toolsUrl}/${at}/mcp`);
    const [ours, rival] = [await take("ours"), await take("rival")];
    if (at > 0) listed.push({ ours: ours.listedMs, rival: rival.listedMs });
    last = { ours: ours.server, rival: rival.server };
  }
  if (last === undefined) throw new Error("expected at least one server, found none");
  return { listed, last };
}

async function takeTurn(
  gateway: ToolGateway | undefined,
  target: Target,
  load: { calls: number; concurrency: number },
) {
  const before = await gateway?.usage();
  const { latenciesMs, seconds } = await runLoad(target, load);
  const cpuSeconds = ((await gateway?.usage())?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0);
  return {
    p50Ms: median(latenciesMs),
    callsPerSecond: load.calls / seconds,
    cpuMs: (cpuSeconds * 1_000) / load.calls,
  };
}

async function measureCalls(gateways: Each<ToolGateway>, through: Each<RegisteredServer>, toolsUrl: string) {
  const direct: Target = { url: `${toolsUrl}/${servers}/mcp`, tool: echo, era: "2025" };
  const fewer = Math.ceil(calls / spared);
  const turn = async (concurrency: number): Promise<Each<Turn> & { direct: Turn }> => ({
    direct: await takeTurn(undefined, direct, { calls, concurrency }),
    ours: await takeTurn(gateways.ours, through.ours.target(echo), { calls, concurrency }),
    rival: await takeTurn(gateways.rival, through.rival.target(echo), { calls: fewer, concurrency }),
  });
  const pairs = concurrencies.map((concurrency) => ({
    concurrency,
    turns: [] as Awaited<ReturnType<typeof turn>>[],
  }));
  for (const { concurrency } of pairs) await turn(concurrency); // not counted: caches and compilers warm up
  for (let round = 1; round <= rounds; round += 1) {
    reportProgress(`round ${round} of ${rounds}`);
    for (const { concurrency, turns } of pairs) turns.push(await turn(concurrency));
  }
  return pairs;
}

async function measure() {
  await using tools = await startBareServer("tool-servers", [String(servers + 1), String(toolsEach)]);
  reportProgress(`starting ContextForge ${contextForgeVersion}`);
  await using rival = await startContextForge();
  await using ours = await startRegisteringGateway();
  const gateways = { ours, rival };
  reportProgress(`registering ${servers} servers of ${toolsEach} tools with each`);
  const { listed, last } = await measureListing(gateways, tools.url);
  const rssMb = async (way: Way) => (await gateways[way].usage()).rssBytes / mebibyte;
  const listedRssMb = { ours: await rssMb("ours"), rival: await rssMb("rival") };
  const pairs = await measureCalls(gateways, last, tools.url);
  return { listed, pairs, listedRssMb, calledRssMb: { ours: await rssMb("ours"), rival: await rssMb("rival") } };
}

type Measured = Awaited<ReturnType<typeof measure>>;
type Pair = Measured["pairs"][number];
const names: Each<string> = { ours: "ours", rival: `ContextForge ${contextForgeVersion}` };

const added = (turn: Pair["turns"][number], way: Way): number => turn[way].p50Ms - turn.direct.p50Ms;

function renderListing({ listed }: Measured): Figure[] {
  const each = ways.flatMap((way): Figure[] => [
    {
      key: `${way}ListedMs`,
      label: `Until the tools of a server are listed, p50: ${names[way]}`,
      value: median(listed.map((turn) => turn[way])),
      unit: " ms",
    },
    {
      key: `${way}ListedLongestMs`,
      label: "  the longest",
      value: Math.max(...listed.map((turn) => turn[way])),
      unit: " ms",
    },
  ]);
  const value = median(listed.map(({ ours, rival }) => ours / rival));
  return [...each, { key: "listedRatio", label: "  ours ÷ ContextForge's", value, atMost: ratioGoal }];
}

function renderCalls({ concurrency, turns }: Pair): Figure[] {
  const p50Ms = median(turns.map(({ direct }) => direct.p50Ms));
  const label = `${concurrency} at a time: p50 of a call without a gateway`;
  const goal = concurrency === 1 ? { atMost: ratioGoal } : {};
  const each = ways.flatMap((way): Figure[] => [
    {
      key: `${way}Added${concurrency}Ms`,
      label: `  added by ${names[way]}`,
      value: median(turns.map((turn) => added(turn, way))),
      unit: " ms",
    },
    {
      key: `${way}Cpu${concurrency}Ms`,
      label: "    its CPU a call",
      value: median(turns.map((turn) => turn[way].cpuMs)),
      unit: " ms",
    },
    {
      key: `${way}Throughput${concurrency}`,
      label: "    calls a second",
      value: median(turns.map((turn) => turn[way].callsPerSecond)),
    },
  ]);
  const addedRatio = median(turns.map((turn) => added(turn, "ours") / added(turn, "rival")));
  const cpuRatio = median(turns.map(({ ours, rival }) => ours.cpuMs / rival.cpuMs));
  return [
    { key: `direct${concurrency}Ms`, label, value: p50Ms, unit: " ms" },
    ...each,
    { key: `addedRatio${concurrency}`, label: "  added, ours ÷ ContextForge's", value: addedRatio, ...goal },
    { key: `cpuRatio${concurrency}`, label: "  CPU, ours ÷ ContextForge's", value: cpuRatio },
  ];
}

function renderMemory({ listedRssMb, calledRssMb }: Measured): Figure[] {
  const each = ways.flatMap((way): Figure[] => [
    {
      key: `${way}ListedRssMb`,
      label: `RSS with all servers: ${names[way]}`,
      value: listedRssMb[way],
      unit: " MiB",
    },
    { key: `${way}CalledRssMb`, label: "  after the calls", value: calledRssMb[way], unit: " MiB" },
  ]);
  const value = calledRssMb.ours / calledRssMb.rival;
  return [...each, { key: "rssRatio", label: "  ours ÷ ContextForge's, after the calls", value, atMost: ratioGoal }];
}

const measured = await measure();
const figures = [...renderListing(measured), ...measured.pairs.flatMap(renderCalls), ...renderMemory(measured)];
const goals = figures.filter(({ atMost }) => atMost !== undefined);
printReport({
  name: "gateway-rival",
  ratio: Math.max(...goals.map(({ value }) => value)),
  goal: ratioGoal,
  agents: 0,
  figures,
  notes: [
    "The ratio is the worst of three: time until listed, what a call takes more, and memory, ours ÷ ContextForge's.",
    `${servers} servers of ${toolsEach} tools. Ours writes them into an API server and is called by REST; ContextForge writes into`,
    `  SQLite and is called over MCP with a kept session, its quickest way, ${spared} times less often.`,
  ],
});
