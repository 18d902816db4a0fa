// How soon a published server can be called after its manifest is written, under a `pallas up` that runs already: the first of a
// name, whose package npm has in its cache, and one that is edited, whose package is installed. The first of all fills the cache and
// does not count.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { benchEnvironment } from "./environment.ts";
import { percentile, printReport, reportProgress } from "./report.ts";

const { BENCH_SERVER_STARTS: starts } = benchEnvironment;
const goalMs = 5_000;
const deadlineMs = 120_000;
const pallas = join(benchEnvironment.BENCH_DIST ?? join(import.meta.dirname, "../../dist"), "pallas.js");

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n---\n`;
const renderServer = (name: string, mode: string): string =>
  document(
    "PallasServer",
    name,
    `{ instanceRef: { name: i }, env: [{ name: MODE, value: ${mode} }], package: { kind: npm, name: "@modelcontextprotocol/server-memory", version: 2026.8.31 } }`,
  );

interface SaidEvent {
  readonly event: string;
  readonly name?: string;
  readonly phase?: string;
}

/** Events of the run, one after the other. */
class Run implements AsyncDisposable {
  readonly folder: string;
  readonly #child;
  readonly #ended: Promise<unknown>;
  readonly #events: AsyncIterator<string>;

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.#child = spawn(process.execPath, [pallas, "up", "--trust", "--json", "-f", folder, "--port", String(port)], {
      env: { ...process.env, PALLAS_STATE_DIR: join(folder, "state") },
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#ended = once(this.#child, "exit");
    this.#events = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async until(isWanted: (event: SaidEvent) => boolean): Promise<void> {
    const deadline = setTimeout(() => this.#child.kill("SIGKILL"), deadlineMs);
    try {
      for (;;) {
        const { value, done } = await this.#events.next();
        if (done === true) throw new Error(`expected an event within ${deadlineMs} ms, found that pallas up has ended`);
        if (isWanted(JSON.parse(value))) return;
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** In one piece, as editors do. */
  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, `.${name}`), text);
    await rename(join(this.folder, `.${name}`), join(this.folder, name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGINT");
    await this.#ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function measure(run: Run, name: string, mode: string): Promise<number> {
  const startedAt = performance.now();
  await run.write(`${name}.yaml`, renderServer(name, mode));
  if (mode !== "first") await run.until((event) => event.name === name && event.phase === "starting");
  await run.until((event) => event.event === "server" && event.name === name && event.phase === "ready");
  return performance.now() - startedAt;
}

const folder = await mkdtemp(join(tmpdir(), "pallas-bench-"));
const team =
  document("PallasInstance", "i", "{ registryNamespace: com.example, defaultModel: passthrough }") +
  document("PallasAgent", "clerk", "{ instanceRef: { name: i } }");
await writeFile(join(folder, "team.yaml"), team);
const [first, again]: [number[], number[]] = [[], []];
{
  await using run = new Run(folder, await findFreePorts(2));
  await run.until(({ event }) => event === "settled");
  for (let start = 0; start <= starts; start += 1) {
    reportProgress(`server ${start} of ${starts}`);
    const name = `memory-${start}`;
    const firstMs = await measure(run, name, "first");
    const againMs = await measure(run, name, "again");
    if (start > 0) {
      first.push(firstMs);
      again.push(againMs);
    }
    await rm(join(folder, `${name}.yaml`));
    await run.until((event) => event.name === name && event.phase === "stopped");
  }
}

const p99 = percentile(first, 0.99);
printReport({
  name: "server-start",
  ratio: p99 / goalMs,
  goal: 1,
  agents: 1,
  figures: [
    {
      key: "firstMs",
      label: "manifest written → ready, package in npm's cache: p50",
      value: percentile(first, 0.5),
      unit: " ms",
    },
    { key: "firstP99Ms", label: "  p99", value: p99, unit: " ms", atMost: goalMs },
    {
      key: "againMs",
      label: "manifest edited → ready, package installed: p50",
      value: percentile(again, 0.5),
      unit: " ms",
    },
    { key: "againP99Ms", label: "  p99", value: percentile(again, 0.99), unit: " ms", atMost: goalMs },
  ],
  notes: [`The ratio is the p99 ÷ its goal, over ${starts} starts one after the other.`],
});
