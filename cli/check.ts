// `pallas check`: what the API server and the operator would say of these files, without either.
import * as z from "zod";
import { manifestKindNames } from "../crds/kinds.ts";
import { EnvironmentError, readEnvironment } from "../lib/process/environment.ts";
import { limitsOf, limitVariables } from "../plan/limit-variables.ts";
import type { Limits, Rules } from "../plan/rules.ts";
import { count, renderDiagnostic, renderWithExcerpt, toJson, type Diagnostic } from "./manifests/diagnostic.ts";
import { readLocalEnvironment } from "./manifests/environment.ts";
import { findManifestFiles, UsageError, type FoundFiles } from "./manifests/find-files.ts";
import { judge } from "./manifests/judge.ts";
import { readManifests } from "./manifests/read-manifests.ts";
import { jsonLine } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";

export interface CheckOptions {
  paths: readonly [string, ...string[]];
  /** Judge by what local mode accepts, in place of what a cluster does. */
  isLocal: boolean;
  /** One JSON object in place of all lines. */
  json: boolean;
  /** The operator's variables that say what it allows, without them its defaults; locally those of placeholders. */
  env: Readonly<Record<string, string | undefined>>;
}

/** @throws UsageError when a variable is faulty */
function readLimits(env: CheckOptions["env"]): Limits {
  try {
    return limitsOf(readEnvironment(z.object(limitVariables), env));
  } catch (error) {
    if (error instanceof EnvironmentError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Prints every problem, warning and note, then a line that sums up.
 * @returns the exit code: 0, or 1 when there are problems, or nothing to judge
 * @throws UsageError when a path is not there, or a variable is faulty
 */
export async function check({ paths, isLocal, json, env }: CheckOptions, terminal: Terminal): Promise<0 | 1> {
  const rules: Rules = isLocal ? { mode: "local" } : { mode: "cluster", ...readLimits(env) };
  const found = await findManifestFiles(paths, { isForCluster: !isLocal, acceptsInput: true });
  const local = isLocal ? await readLocalEnvironment(found.folders, env) : { variables: {}, diagnostics: [] };
  const manifests = await readManifests(found);
  const judged = judge(manifests, rules, local.variables);
  const { checked } = judged;
  const diagnostics = [...judged.diagnostics, ...local.diagnostics];
  const isUnread = manifests.diagnostics.some(({ severity }) => severity === "error");
  if (manifests.resources.length === 0 && !isUnread) diagnostics.unshift(nothingOfOurs(found));
  const problems = diagnostics.filter(({ severity }) => severity === "error");
  const counts = {
    files: found.files.length,
    instances: checked.instances.length,
    servers: checked.servers.length,
    agents: checked.runnable.length,
  };
  if (json) {
    const told = diagnostics.map((diagnostic) => toJson(diagnostic, terminal.folder));
    terminal.printStyled(jsonLine({ ok: problems.length === 0, ...counts, diagnostics: told }));
  } else {
    const render = terminal.err.isTerminal ? renderWithExcerpt : renderDiagnostic;
    for (const diagnostic of diagnostics) terminal.complain(render(diagnostic, terminal.folder));
    const servers = counts.servers === 0 ? "" : `, ${count(counts.servers, "valid server")}`;
    const kinds = `${count(counts.instances, "valid instance")}${servers} and ${count(counts.agents, "valid agent")}`;
    const verdict = problems.length === 0 ? "no errors" : describeProblems(problems);
    terminal.print(`${count(counts.files, "file")} read: ${kinds}, ${verdict}`);
  }
  return problems.length === 0 ? 0 : 1;
}

/** A wrong folder, or a template that gave nothing, would pass for ever. */
const nothingOfOurs = ({ files, folders: [folder] }: FoundFiles): Diagnostic => ({
  severity: "error",
  file: files[0]?.path ?? folder,
  message: `no ${manifestKindNames.join(" and no ")} was found; name the folder that has them itself (folders inside it are not read), or the files`,
});

const describeProblems = (problems: readonly Diagnostic[]): string =>
  `${count(problems.length, "error")} in ${count(new Set(problems.map(({ file }) => file)).size, "file")}`;
