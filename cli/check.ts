// `pallas check`: what the API server and the operator would say of these files, without either.
import { renderDiagnostic, type Diagnostic } from "./manifests/diagnostic.ts";
import { findManifestFiles } from "./manifests/find-files.ts";
import { judge } from "./manifests/judge.ts";
import { readManifests } from "./manifests/read-manifests.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Prints every fault, warning and note, then a line that sums up.
 * @returns the exit code: 0, or 1 when there are faults
 * @throws UsageError when a path is not there
 */
export async function check(paths: readonly [string, ...string[]], terminal: Terminal): Promise<0 | 1> {
  const found = await findManifestFiles(paths);
  const manifests = await readManifests(found);
  const { checked, diagnostics } = judge(manifests, "cluster", {});
  for (const diagnostic of diagnostics) terminal.complain(renderDiagnostic(diagnostic, terminal.folder));

  const faults = diagnostics.filter(({ severity }) => severity === "fault");
  const kinds = [count(checked.instances.length, "sound instance"), count(checked.runnable.length, "sound agent")].join(
    " and ",
  );
  const files = count(found.files.length, "file");
  terminal.print(`${files} read: ${kinds}, ${faults.length === 0 ? "no faults" : describeFaults(faults)}`);
  return faults.length === 0 ? 0 : 1;
}

const describeFaults = (faults: readonly Diagnostic[]): string =>
  `${count(faults.length, "fault")} in ${count(new Set(faults.map(({ file }) => file)).size, "file")}`;

const count = (amount: number, word: string): string => `${amount} ${word}${amount === 1 ? "" : "s"}`;
