// The chart as Helm renders it: objects as they would be sent to the API server.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadAll } from "js-yaml";
import { chartPrograms } from "./programs.ts";

export const chartPath = resolve(import.meta.dirname, "../../charts/pallas");
export const root = resolve(import.meta.dirname, "../..");

/** What the tests read of any object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** YAML documents; Helm writes empty ones. */
export function parseManifests(text: string): Manifest[] {
  const documents = loadAll(text).filter((document) => document !== null && document !== undefined);
  return JSON.parse(JSON.stringify(documents));
}

/** Runs helm with the values in a file; the arguments come before it. */
export async function withValues(values: object, args: readonly string[]): Promise<string> {
  const { helm } = await chartPrograms();
  const dir = await mkdtemp(join(tmpdir(), "pallas-values-"));
  try {
    const file = join(dir, "values.json");
    await writeFile(file, JSON.stringify(values));
    return await helm([...args, "--values", file]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The manifests' text for a release "pallas". */
export const templateChart = (values: object = {}, namespace = "pallas-system"): Promise<string> =>
  withValues(values, ["template", "pallas", chartPath, "--namespace", namespace, "--kube-version", "1.30.0"]);

export const renderChart = async (values: object = {}, namespace?: string): Promise<Manifest[]> =>
  parseManifests(await templateChart(values, namespace));

/** Kinds that neither Kubernetes nor Pallas defines. */
export const isForeign = ({ apiVersion }: Manifest): boolean =>
  /^(monitoring\.coreos\.com|gateway\.networking\.k8s\.io)\//.test(apiVersion);
