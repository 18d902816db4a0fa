// How soon a team of 50 agents is there under `pallas up`, in layers that wait for one another; next to fifty times the
// start of one alone. Agents of a layer start side by side, so that the team takes a share of that sum.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { benchEnvironment } from "./environment.ts";
import { percentile, printReport, reportProgress } from "./report.ts";

const { BENCH_ROUNDS: rounds } = benchEnvironment;
const agents = 50;
const layers = 5;
const shareGoal = 0.75;
const deadlineMs = 180_000;
const pallas = join(benchEnvironment.BENCH_DIST ?? join(import.meta.dirname, "../../dist"), "pallas.js");

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n---\n`;

/** Each agent of a layer waits for the one above it. */
const renderTeam = (count: number): string =>
  document("PallasInstance", "i", "{ registryNamespace: com.example, defaultModel: passthrough }") +
  Array.from({ length: count }, (_, index) => {
    const above = index - count / layers;
    const waits = above >= 0 ? `, dependsOn: [a${above}]` : "";
    return document("PallasAgent", `a${index}`, `{ instanceRef: { name: i }${waits} }`);
  }).join("");

interface Start {
  /** From the start of `pallas up` until the first agent's process is started: reading and judging. */
  beforeMs: number;
  /** From there until every agent is ready. */
  agentsMs: number;
}

async function measureStart(count: number): Promise<Start> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-bench-"));
  await writeFile(join(folder, "team.yaml"), renderTeam(count));
  const port = await findFreePorts(count + 1);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [pallas, "up", "--json", "-f", folder, "--port", String(port)], {
    env: { ...process.env, PALLAS_STATE_DIR: join(folder, "state") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const deadline = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
  try {
    let firstMs: number | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const { event, phase, ready }: { event: string; phase?: string; ready?: number } = JSON.parse(line);
      const sinceMs = performance.now() - startedAt;
      if (event === "agent" && phase === "starting") firstMs ??= sinceMs;
      if (event === "settled" && ready === count && firstMs !== undefined) {
        return { beforeMs: firstMs, agentsMs: sinceMs - firstMs };
      }
    }
    throw new Error(`expected ${count} agents to be ready within ${deadlineMs} ms, found that pallas up has ended`);
  } finally {
    clearTimeout(deadline);
    child.kill("SIGINT");
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

const [teams, singles]: [Start[], Start[]] = [[], []];
for (let round = 1; round <= rounds; round += 1) {
  reportProgress(`round ${round} of ${rounds}`);
  teams.push(await measureStart(agents));
  singles.push(await measureStart(1));
}
const median = (starts: readonly Start[], what: keyof Start) =>
  percentile(
    starts.map((start) => start[what]),
    0.5,
  );
const teamMs = median(teams, "agentsMs");
const singleMs = median(singles, "agentsMs");
const share = teamMs / (singleMs * agents);

printReport({
  name: "local-start",
  ratio: share / shareGoal,
  goal: 1,
  agents,
  figures: [
    {
      key: "teamMs",
      label: `${agents} agents in ${layers} layers, first start → all ready`,
      value: teamMs,
      unit: " ms",
    },
    { key: "singleMs", label: "one agent, start → ready", value: singleMs, unit: " ms" },
    { key: "sumMs", label: `  ${agents} times that`, value: singleMs * agents, unit: " ms" },
    { key: "share", label: "team ÷ sum of single starts", value: share, atMost: shareGoal },
    { key: "beforeMs", label: "pallas up → first start", value: median(teams, "beforeMs"), unit: " ms" },
  ],
  notes: [
    "The ratio is the share ÷ its goal. All figures are medians over the rounds. What bounds a team are the cores.",
  ],
});
