// The programs that the tests of the chart need: helm and kubeconform, from the cache or built there once. On the command
// line it prints where helm is.
import { join } from "node:path";
import { createHelm, type Helm } from "../../charts/helm.ts";
import { findInstalledPrograms, requirePrograms } from "../cluster/programs.ts";

/** Whether tests are left out; they never build. In CI that throws. */
export async function chartProgramsMissing(): Promise<boolean> {
  if ((await findInstalledPrograms("chart")) !== undefined) return false;
  if (process.env["CI"]) {
    throw new Error("expected helm and kubeconform in the cache, found none; run `node test/cluster/build.ts`");
  }
  return true;
}

export interface ChartPrograms {
  readonly helm: Helm;
  readonly kubeconformPath: string;
}

export async function chartPrograms(): Promise<ChartPrograms> {
  const { dir } = await requirePrograms("chart");
  return { helm: createHelm(join(dir, "helm")), kubeconformPath: join(dir, "kubeconform") };
}

if (import.meta.main) process.stdout.write(`${join((await requirePrograms("chart")).dir, "helm")}\n`);
