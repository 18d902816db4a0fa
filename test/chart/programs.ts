// The programs that the tests of the chart need: helm and kubeconform, from the cache or built there once. On the command
// line it prints where helm is.
import { join } from "node:path";
import { createHelm, type Helm } from "../../charts/helm.ts";
import { findInstalledPrograms, requirePrograms } from "../cluster/programs.ts";

/** Whether tests can run; they never build. */
export const chartProgramsMissing = async (): Promise<boolean> => (await findInstalledPrograms("chart")) === undefined;

export interface ChartPrograms {
  readonly helm: Helm;
  readonly kubeconformPath: string;
}

export async function chartPrograms(): Promise<ChartPrograms> {
  const { dir } = await requirePrograms("chart");
  return { helm: createHelm(join(dir, "helm")), kubeconformPath: join(dir, "kubeconform") };
}

if (import.meta.main) process.stdout.write(`${join((await requirePrograms("chart")).dir, "helm")}\n`);
