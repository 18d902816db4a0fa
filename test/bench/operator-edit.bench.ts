// How long an edit takes to reach the children of an agent while many others are looked after: from the API server's
// answer to the edit until a watch shows the changed run configuration, and until the agent's status says so. Edits come
// at fixed times, whether or not the ones before have been dealt with.
import { setTimeout as delay } from "node:timers/promises";
import { eventsIn, renderWrites, startBenchServer, totalOf, writesBetween, type BenchServer } from "./bench-server.ts";
import { burst } from "./burst.ts";
import { benchEnvironment } from "./environment.ts";
import { agentName, agentNames, agentOfRunConfig, agentPath, agentsPath, editBody, runConfigsPath } from "./fleet.ts";
import { startOperatorUnderTest } from "./operator-under-test.ts";
import { quantileBetween } from "./prometheus-text.ts";
import { percentile, printReport, reportProgress } from "./report.ts";
import { mebibyte } from "./process-usage.ts";

const { BENCH_AGENTS: agents, BENCH_EDIT_SECONDS: editSeconds, BENCH_EDITS_PER_SECOND: rate } = benchEnvironment;
const childGoalMs = 250;
const namespace = "fleet";
const settleMs = 5_000;
const lateTimeoutMs = 60_000;
/** As many edits as come while so many agents more are made: a burst of a hundred agents takes more than a second. */
const [newcomers, burstEdits] = [Math.ceil(agents / 2), Math.ceil((agents / 200) * rate)];

interface Edit {
  readonly text: string;
  generation?: number;
  answeredAt?: number;
  childAt?: number;
  statusAt?: number;
}

/** Edits agents one after another, each once until all had their turn, and notes when their effects are seen. */
async function edit({ client }: BenchServer, count: number, word: string): Promise<Edit[]> {
  const edits = Array.from({ length: count }, (_, turn): Edit => ({ text: `${word} ${turn}: be brief.` }));
  const latest = new Map<string, Edit>();
  const missing = (what: "childAt" | "statusAt") => edits.filter((each) => each[what] === undefined).length;
  const isDone = ({ childAt, statusAt }: Edit) => childAt !== undefined && statusAt !== undefined;
  await using runConfigs = await client.watch(runConfigsPath(namespace), ({ metadata, data }) => {
    const found = latest.get(agentOfRunConfig(metadata.name));
    if (found && data?.["run-config.json"]?.includes(found.text)) found.childAt ??= performance.now();
  });
  const observed = new Map<string, { readonly generation: number; readonly at: number }>();
  /** The status may be seen before the answer to the edit, which tells the generation. */
  const noteStatus = (name: string): void => {
    const [found, seen] = [latest.get(name), observed.get(name)];
    if (found?.generation !== undefined && seen && seen.generation >= found.generation) found.statusAt ??= seen.at;
  };
  await using statuses = await client.watch(agentsPath(namespace), ({ metadata: { name }, status }) => {
    const { observedGeneration: generation = 0 } = status ?? {};
    if (generation === observed.get(name)?.generation) return;
    observed.set(name, { generation, at: performance.now() });
    noteStatus(name);
  });
  const startedAt = performance.now();
  const sent = edits.map(async (each, turn) => {
    await delay(Math.max(0, startedAt + (turn * 1_000) / rate - performance.now()));
    const name = agentName(turn % agents);
    latest.set(name, each);
    const { metadata } = await client.patch(agentPath(namespace, name), editBody(each.text));
    each.answeredAt = performance.now();
    if (metadata.generation !== undefined) each.generation = metadata.generation;
    noteStatus(name);
  });
  await Promise.race([Promise.all(sent), runConfigs.broken, statuses.broken]);
  const deadline = performance.now() + lateTimeoutMs;
  while (!edits.every(isDone)) {
    if (performance.now() > deadline) {
      const [children, states] = [missing("childAt"), missing("statusAt")];
      throw new Error(
        `expected the effects of all edits in ${lateTimeoutMs} ms, found ${children} without a changed child, ${states} without a status`,
      );
    }
    await delay(50);
  }
  return edits;
}

async function measure() {
  await using server = await startBenchServer();
  await server.createFleet(namespace);
  await using operator = await startOperatorUnderTest(server.access, { namespace });
  reportProgress(`making ${agents} agents`);
  await burst(server.client, { namespace, names: agentNames(agents) });
  await delay(settleMs);
  const [writes, queue, usage] = [await server.writes(), await operator.queueSeconds(), await operator.usage()];
  reportProgress(`${rate} edits a second for ${editSeconds} s`);
  const startedAt = performance.now();
  const edits = await edit(server, editSeconds * rate, "Turn");
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await operator.usage();
  const queueP99Seconds = quantileBetween(queue, await operator.queueSeconds(), 0.99);
  await delay(settleMs);
  const written = writesBetween(writes, await server.writes());
  reportProgress(`making ${newcomers} agents more, with edits meanwhile`);
  const names = agentNames(agents + newcomers).slice(agents);
  const more = burst(server.client, { namespace, names });
  const midst = await edit(server, burstEdits, "Meanwhile");
  await more;
  return {
    edits,
    midst,
    queueP99Seconds,
    writes: written,
    cpuPercent: ((after.cpuSeconds - usage.cpuSeconds) / seconds) * 100,
    rssBytes: after.rssBytes,
  };
}

const { edits, midst, queueP99Seconds, writes, cpuPercent, rssBytes } = await measure();
/** A watch may be faster than the answer: then it took no time. */
const elapsed = (to: "childAt" | "statusAt", of = edits) =>
  of.map((each) => Math.max(0, (each[to] ?? Number.NaN) - (each.answeredAt ?? Number.NaN)));
const [toChild, toStatus] = [elapsed("childAt"), elapsed("statusAt")];
printReport({
  name: "operator-edit",
  ratio: percentile(toChild, 0.99) / childGoalMs,
  goal: 1,
  agents,
  figures: [
    { key: "edits", label: `edits, ${rate} a second`, value: edits.length },
    { key: "childP50Ms", label: "edit → changed child, p50", value: percentile(toChild, 0.5), unit: " ms" },
    {
      key: "childP99Ms",
      label: "edit → changed child, p99",
      value: percentile(toChild, 0.99),
      unit: " ms",
      atMost: childGoalMs,
    },
    { key: "childMaxMs", label: "edit → changed child, the longest", value: Math.max(...toChild), unit: " ms" },
    { key: "statusP50Ms", label: "edit → status says so, p50", value: percentile(toStatus, 0.5), unit: " ms" },
    {
      key: "statusP99Ms",
      label: "edit → status says so, p99",
      value: percentile(toStatus, 0.99),
      unit: " ms",
      atMost: 5_000,
    },
    {
      key: "burstChildP99Ms",
      label: `edit → changed child, p99, while ${newcomers} agents are made`,
      value: percentile(elapsed("childAt", midst), 0.99),
      unit: " ms",
    },
    { key: "queueP99Seconds", label: "queue p99", value: queueP99Seconds, unit: " s", atMost: 1 },
    { key: "writesPerEdit", label: "writes an edit", value: (totalOf(writes) - eventsIn(writes)) / edits.length - 1 },
    { key: "cpuPercent", label: "operator CPU meanwhile, of one core", value: cpuPercent, unit: " %" },
    { key: "rssMb", label: "operator RSS", value: rssBytes / mebibyte, unit: " MiB" },
  ],
  notes: [
    `Writes an edit, the edit included: ${renderWrites(writes, edits.length)}.`,
    "The ratio is p99 of edit → changed child ÷ its goal.",
  ],
});
