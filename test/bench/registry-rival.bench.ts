// The same thousand tools behind our gateway and behind ToolHive's vmcp in one run, with the same endpoint for embeddings: how often
// the right tool is the first or among the first five, how long an answer takes, and how long until the tools of one more server
// are found. Both take turns, question by question.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readWordTable } from "../../lib/search/find-word-table.ts";
import { toWords } from "../../lib/search/tokens.ts";
import { startEmbeddingsServer } from "../models/embeddings-server.ts";
import { readCatalogue, type Question } from "./found-tools.ts";
import { startRegistryFinder } from "./registry-finder.ts";
import { mebibyte } from "./process-usage.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { startBareServer } from "./server-under-test.ts";
import type { FinderBackend, ToolFinder } from "./tool-finder.ts";
import { startVmcpFinder } from "./vmcp.ts";

const sets = ["stb", "metatool"];
const questionsEach = 300;
const considered = 5;
const foundWithinMs = 120_000;
const pollMs = 5;
const ratioGoal = 1;

const ways = ["ours", "rival"] as const;
type Way = (typeof ways)[number];
type Each<Value> = Record<Way, Value>;

interface Outcome {
  isFirst: boolean;
  /** Share of what was asked for among the first five. */
  recall: number;
  ms: number;
}

async function ask(finder: ToolFinder, { query, gold }: Question): Promise<Outcome> {
  const startedAt = performance.now();
  const found = await finder.find(query);
  const ms = performance.now() - startedAt;
  const [first] = found;
  const among = new Set(found.slice(0, considered));
  const isFirst = gold.some((group) => first !== undefined && group.includes(first));
  return { isFirst, recall: gold.filter((group) => group.some((name) => among.has(name))).length / gold.length, ms };
}

/** Milliseconds from telling it of the server until one of its tools is found first. */
async function measureNew(
  finder: ToolFinder,
  backend: FinderBackend,
  { query, name }: { query: string; name: string },
) {
  const startedAt = performance.now();
  await finder.add(backend);
  for (;;) {
    const [first] = await finder.find(query);
    if (first === name) return performance.now() - startedAt;
    if (performance.now() - startedAt > foundWithinMs) {
      throw new Error(`expected "${query}" to find ${name} within ${foundWithinMs} ms, found ${first ?? "nothing"}`);
    }
    await delay(pollMs);
  }
}

/** As many of each set, spread over it. */
function sample(questions: readonly Question[]): Question[] {
  return sets.flatMap((name) => {
    const all = questions.filter(({ set }) => set === name);
    const step = Math.max(1, all.length / questionsEach);
    return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, questionsEach);
  });
}

/** Nothing else in the catalogue speaks of it. */
const newTool = {
  name: "calibrate_theodolite",
  description: "Calibrates the vernier of a surveyor's theodolite before a triangulation.",
  inputSchema: { type: "object", properties: {}, required: [] },
};
const newServer = { name: "surveying", tools: [newTool] };
const newQuestion = { query: "calibrate the vernier of a theodolite", name: "surveying__calibrate_theodolite" };

async function measure() {
  await using stack = new AsyncDisposableStack();
  const { servers, questions } = readCatalogue();
  const dir = await mkdtemp(join(tmpdir(), "pallas-bench-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, "catalogue.json");
  await writeFile(file, JSON.stringify({ servers: [...servers, newServer] }));
  const catalogue = stack.use(await startBareServer("catalogue-servers", [file]));
  const words = await readWordTable();
  const nothing = new Float32Array(words.width).fill(1 / Math.sqrt(words.width));
  const embed = (text: string) => words.embed(toWords(text)) ?? nothing;
  const embeddings = await startEmbeddingsServer({ width: words.width, embed });
  stack.defer(() => embeddings.close());
  const backendOf = ({ name }: { name: string }): FinderBackend => ({ name, url: `${catalogue.url}/${name}/mcp` });
  const backends = servers.map(backendOf);
  reportProgress("starting vmcp of ToolHive");
  const rival = stack.use(await startVmcpFinder(backends, embeddings.url));
  reportProgress("starting our gateway");
  const ours = stack.use(await startRegistryFinder(backends, embeddings.url));
  const finders: Each<ToolFinder> = { ours, rival };
  const asked = sample(questions);
  const outcomes: Each<Outcome[]> = { ours: [], rival: [] };
  for (const question of asked.slice(0, 20)) for (const way of ways) await ask(finders[way], question); // warms up
  reportProgress(`asking ${asked.length} questions of each`);
  for (const [at, question] of asked.entries()) {
    for (const way of at % 2 === 0 ? ways : ways.toReversed()) outcomes[way].push(await ask(finders[way], question));
  }
  const rss = async (way: Way) => (await finders[way].usage()).rssBytes / mebibyte;
  const rssMb = { ours: await rss("ours"), rival: await rss("rival") };
  reportProgress("one more server");
  const take = (way: Way) => measureNew(finders[way], backendOf(newServer), newQuestion);
  const newMs = { ours: await take("ours"), rival: await take("rival") };
  const tools = servers.flatMap((server) => server.tools).length;
  return { tools, outcomes, rssMb, newMs, version: rival.version };
}

const { tools, outcomes, rssMb, newMs, version } = await measure();
const names: Each<string> = { ours: "ours", rival: `vmcp ${version}` };
/** Of percent and milliseconds alike. */
const rounded = (value: number) => Math.round(value * 10) / 10;
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const hit1 = (way: Way) => mean(outcomes[way].map(({ isFirst }) => Number(isFirst))) * 100;
const recall5 = (way: Way) => mean(outcomes[way].map(({ recall }) => recall)) * 100;
const p95 = (way: Way) =>
  percentile(
    outcomes[way].map(({ ms }) => ms),
    0.95,
  );
const p50 = (way: Way) =>
  percentile(
    outcomes[way].map(({ ms }) => ms),
    0.5,
  );
const goals = (way: Way, atLeast: number) => (way === "ours" ? { atLeast: rounded(atLeast) } : {});
const limits = (way: Way, atMost: number) => (way === "ours" ? { atMost: rounded(atMost) } : {});
const figures = ways.flatMap((way): Figure[] => [
  {
    key: `${way}Hit1`,
    label: `${names[way]}: right tool first`,
    value: hit1(way),
    unit: " %",
    ...goals(way, hit1("rival")),
  },
  {
    key: `${way}Recall5`,
    label: `${names[way]}: of the right tools among five`,
    value: recall5(way),
    unit: " %",
    ...goals(way, recall5("rival")),
  },
  { key: `${way}P50Ms`, label: `${names[way]}: an answer, p50`, value: p50(way), unit: " ms" },
  {
    key: `${way}P95Ms`,
    label: `${names[way]}: an answer, p95`,
    value: p95(way),
    unit: " ms",
    ...limits(way, p95("rival")),
  },
  {
    key: `${way}NewMs`,
    label: `${names[way]}: until the tools of one more server are found`,
    value: newMs[way],
    unit: " ms",
    ...limits(way, newMs.rival),
  },
  { key: `${way}RssMb`, label: `${names[way]}: RSS`, value: rssMb[way], unit: " MiB" },
]);
printReport({
  name: "registry-rival",
  ratio: p95("ours") / p95("rival"),
  goal: ratioGoal,
  agents: tools,
  figures,
  notes: [
    `${outcomes.ours.length} questions over ${tools} tools of twenty servers (StableToolBench and MetaTool), asked of both in turn by an MCP client.`,
    "Both rank with vectors of the same endpoint; vmcp answers eight tools, of which the first five count.",
    "vmcp reads its list of servers when it starts: one more server means a restart, which its figure holds.",
  ],
});
