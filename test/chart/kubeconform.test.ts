// kubeconform, against the schemas that a real API server publishes, over all that the chart renders and the operator makes.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../crds/kinds.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { schemaLocation, writeApiSchemas } from "./api-schemas.ts";
import { chartPrograms, chartProgramsMissing } from "./programs.ts";
import { root, templateChart } from "./rendered-chart.ts";
import { valueSets } from "./value-sets.ts";

/** Kinds that no API server of the tests knows; their golden files are looked at by people. */
const foreignKinds = ["ServiceMonitor", "PodMonitor", "PrometheusRule", "HTTPRoute"];
/** What an API server publishes no schema for that could be judged by: its own meta-schema. */
const skipped = ["CustomResourceDefinition", ...foreignKinds];

interface Verdict {
  readonly resources: readonly {
    readonly kind: string;
    readonly name: string;
    readonly status: string;
    readonly msg: string;
  }[];
  readonly summary: { readonly valid: number; readonly skipped: number };
}

describe.skipIf(clusterMissing() !== undefined || (await chartProgramsMissing()))("kubeconform", () => {
  let dir: string;
  let program: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "pallas-kubeconform-"));
    program = (await chartPrograms()).kubeconformPath;
    await writeApiSchemas(cluster(), join(dir, "schemas"));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  /** Its exit code says the same as its report. */
  const judge = (files: readonly string[]): Promise<Verdict> =>
    new Promise((resolve, reject) => {
      const location = schemaLocation(join(dir, "schemas"));
      const args = [
        "-strict",
        "-summary",
        "-output=json",
        `-skip=${skipped.join(",")}`,
        `-schema-location=${location}`,
      ];
      execFile(program, [...args, ...files], { timeout: 60_000 }, (error, stdout, stderr) => {
        if (stdout === "") {
          return reject(new Error(`expected a report of kubeconform, found: ${stderr}`, { cause: error }));
        }
        resolve(JSON.parse(stdout));
      });
    });

  it("finds nothing in the chart", async () => {
    const files = Object.entries(valueSets).map(async ([name, values]) => {
      const file = join(dir, `${name}.yaml`);
      await writeFile(file, await templateChart(values));
      return file;
    });
    const { resources, summary } = await judge(await Promise.all(files));
    expect(resources).toEqual([]);
    expect(summary.valid).toBeGreaterThan(100);
  });

  it("finds nothing in the plain manifests and in what the operator makes", async () => {
    const golden = (await readdir(join(root, "test/golden"))).map((name) => join(root, "test/golden", name));
    const { resources, summary } = await judge([join(root, "charts/plain/pallas.yaml"), ...golden]);
    expect(resources).toEqual([]);
    expect(summary.valid).toBeGreaterThan(35);
    expect(summary.skipped).toBe(Object.keys(kinds).length);
  });

  it.each([
    ["an unknown field", "replicas: 2", "replica: 2"],
    ["a value of another type", "replicas: 2", "replicas: two"],
    ["a field that is unknown deep inside", "readOnlyRootFilesystem", "readOnlyRootFileSystem"],
    ["an unknown kind", "kind: Deployment", "kind: Deploiment"],
  ])("would find %s", async (_title, right, wrong) => {
    const file = join(dir, "broken.yaml");
    const text = await templateChart({ crds: { enabled: false } });
    expect(text).toContain(right);
    await writeFile(file, text.replace(right, wrong));
    expect((await judge([file])).resources).toHaveLength(1);
  });
});
