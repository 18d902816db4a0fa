// How fast the catalogue is read beside two others that serve it: a bare node:http with the same bytes in memory, and a
// Starlette application that builds the list for each request. They take turns, so that a machine which is slow for a
// while is slow for all.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cataloguePath } from "../../crds/catalogue.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { measureHttp } from "./http-load.ts";
import { startProgram, type ProgramUnderTest } from "./program-under-test.ts";
import { percentile } from "./report.ts";

const connections = 8;
const turns = 7;
const secondsATurn = 1;
const barePaths = { identity: "/identity", gzip: "/gzip", notModified: "/not-modified" } as const;
export type Kind = keyof typeof barePaths;

export interface Comparison {
  /** Answers a second, the median turn. */
  readonly perSecond: number;
  /** Registry ÷ bare server, the median turn. */
  readonly ratio: number;
  /** The same of answers per second of the server's CPU time: what is left when the machine has other work. */
  readonly cpuRatio: number;
}

const median = (numbers: readonly number[]) => percentile(numbers, 0.5);

/** The registry against the bare server, for each kind of answer. */
export async function compareToBare(registry: ProgramUnderTest): Promise<Record<Kind, Comparison>> {
  const url = `${registry.url}${cataloguePath}`;
  const args = [join(import.meta.dirname, "bare-http.ts"), url];
  await using bare = await startProgram({ name: "bare-http", file: process.execPath, args });
  const compare = async (kind: Kind, status: number, ask: () => Promise<Record<string, string>>) => {
    const measure = async (program: ProgramUnderTest, target: string) => {
      const headers = await ask();
      const before = await program.usage();
      const perSecond = await measureHttp({ url: target, headers, status, connections, seconds: secondsATurn });
      const { cpuSeconds } = await program.usage();
      return { perSecond, perCpuSecond: (perSecond * secondsATurn) / (cpuSeconds - before.cpuSeconds) };
    };
    const found: { ours: number; ratio: number; cpuRatio: number }[] = [];
    for (let turn = 0; turn <= turns; turn += 1) {
      const ours = await measure(registry, url);
      const theirs = await measure(bare, `${bare.url}${barePaths[kind]}`);
      if (turn === 0) continue; // both are compiled now
      const [ratio, cpuRatio] = [ours.perSecond / theirs.perSecond, ours.perCpuSecond / theirs.perCpuSecond];
      found.push({ ours: ours.perSecond, ratio, cpuRatio });
    }
    const comparison: Comparison = {
      perSecond: median(found.map(({ ours }) => ours)),
      ratio: median(found.map(({ ratio }) => ratio)),
      cpuRatio: median(found.map(({ cpuRatio }) => cpuRatio)),
    };
    return comparison;
  };
  /** Now, since a watch that is interrupted changes the catalogue too. */
  const known = async () => {
    const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
    await answer.arrayBuffer();
    return { "if-none-match": answer.headers.get("etag") ?? "" };
  };
  return {
    identity: await compare("identity", 200, async () => ({})),
    gzip: await compare("gzip", 200, async () => ({ "accept-encoding": "gzip" })),
    notModified: await compare("notModified", 304, known),
  };
}

/** The registry ÷ Starlette, the median turn; undefined on a machine without Python. */
export async function compareToStarlette(registry: ProgramUnderTest): Promise<number | undefined> {
  const python = await findPython();
  if (python === undefined) return undefined;
  const interpreter = await openEnvironment(python, 1);
  const url = `${registry.url}${cataloguePath}`;
  const folder = await mkdtemp(join(tmpdir(), "pallas-bench-"));
  try {
    const catalogue: { servers: { server: { name: string; description: string } }[] } = await (await fetch(url)).json();
    const agents = catalogue.servers.map(({ server: { name, description } }) => ({
      name: name.split("/")[1],
      description,
      updatedAt: "2026-01-01T00:00:00Z",
    }));
    const path = join(folder, "agents.json");
    await writeFile(path, JSON.stringify(agents));
    const args = [join(import.meta.dirname, "starlette_catalogue.py"), path];
    await using starlette = await startProgram({ name: "starlette", file: interpreter, args });
    const measure = (origin: string) =>
      measureHttp({ url: `${origin}${cataloguePath}`, status: 200, connections, seconds: secondsATurn });
    const ratios: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      ratios.push((await measure(registry.url)) / (await measure(starlette.url)));
    }
    return median(ratios);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
