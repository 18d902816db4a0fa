// Command line: renews what is generated in the chart (with --check only compares), then packs it into charts/out.
// The same sources give the same bytes. HELM names the program; default: the one on the PATH.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { renderGenerated } from "./generated.ts";
import { createHelm, type Helm } from "./helm.ts";
import { setArchiveTimes } from "./archive-times.ts";

const root = resolve(import.meta.dirname, "..");
const chart = join(root, "charts/pallas");

export interface BuildOptions {
  readonly helm: Helm;
  /** Where the archive goes. */
  readonly out: string;
  /** Seconds since 1970, of every file in the archive. */
  readonly epochSeconds: number;
}

/** Returns the path of the archive. */
export async function packChart({ helm, out, epochSeconds }: BuildOptions): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "pallas-chart-"));
  try {
    const said = await helm(["package", chart, "--destination", dir]);
    const packed = /^Successfully packaged chart and saved it to: (.+)$/m.exec(said)?.[1];
    if (packed === undefined) throw new Error(`expected helm to say where the package is, found: ${said}`);
    const path = join(out, relative(dir, packed));
    await mkdir(out, { recursive: true });
    await writeFile(path, setArchiveTimes(await readFile(packed), epochSeconds));
    return path;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Paths from the root of generated files that differ from what is there; written unless `check`. */
export async function renewGenerated(helm: Helm, check: boolean): Promise<string[]> {
  const stale: string[] = [];
  for await (const [path, contents] of renderGenerated(root, helm)) {
    const file = join(root, path);
    if ((await readFile(file, "utf8").catch(() => undefined)) === contents) continue;
    stale.push(path);
    if (check) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  return stale;
}

async function main(check: boolean): Promise<void> {
  const helm = createHelm(process.env["HELM"] ?? "helm");
  const stale = await renewGenerated(helm, check);
  if (check && stale.length > 0) throw new Error(`stale: ${stale.join(", ")}; run "make chart" and commit the result`);
  if (check) return;
  const epochSeconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? 0);
  process.stdout.write(`${await packChart({ helm, out: join(root, "charts/out"), epochSeconds })}\n`);
}

if (import.meta.main) await main(process.argv.includes("--check"));
