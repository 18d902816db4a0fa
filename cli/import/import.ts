// `pallas import`: a fast-agent project with its agents.yaml → manifests, and a list of what was not carried over.
// Python is read and never run; no value of a secret is written or shown.
import { relative, resolve } from "node:path";
import { bySeverityAndPlace, count, renderDiagnostic } from "../manifests/diagnostic.ts";
import { UsageError } from "../manifests/find-files.ts";
import { judge } from "../manifests/judge.ts";
import { maxFileBytes } from "../manifests/manifest-text.ts";
import { addFile, noManifests } from "../manifests/read-manifests.ts";
import { unwritten } from "../../plan/accept.ts";
import type { Terminal } from "../terminal.ts";
import type { ImportedAgent } from "./agent-spec.ts";
import { convert, type ImportedProject } from "./convert.ts";
import type { Place } from "./field.ts";
import { Notes } from "./notes.ts";
import { ProjectFiles } from "./project-files.ts";
import { renderFiles, type FileName } from "./render.ts";
import { checkOutput, writeFiles } from "./write-files.ts";

export interface ImportOptions {
  /** The folder of the project. */
  project: string;
  /** Where manifests go. */
  output: string;
  /** Whether files that are there may be overwritten. */
  isForced: boolean;
  /** The model of agents that name none. */
  model?: string | undefined;
  /** A folder of cards, relative to the project. */
  cards?: string | undefined;
}

/**
 * Writes the manifests and prints what was written and what was not carried over.
 * @returns the exit code: 0, or 1 when nothing was written because of problems
 * @throws UsageError when the project is not there, or the output would overwrite something
 */
export async function importProject(options: ImportOptions, terminal: Terminal): Promise<0 | 1> {
  const { project, output, isForced } = options;
  const files = new ProjectFiles(project);
  const folder = resolve(terminal.folder, output);
  if (folder === files.folder) throw new UsageError(`-o ${output}: is the project itself; name a folder of its own`);
  await checkOutput(folder, output, isForced);

  const notes = new Notes();
  const imported = convert(files, { ...options, manifests: folder }, notes);
  if (imported === undefined) return refuse(notes, terminal);
  const characters = imported.agents.reduce((sum, { instruction = "" }) => sum + instruction.length, 0);
  // More than could be written is not even put together.
  if (characters > 2 * maxFileBytes) notes.problem(imported.instance.place, tooLong);
  if (notes.problems > 0) return refuse(notes, terminal);
  const texts = renderFiles(imported, notes.all, files.folder);
  judgeTexts(texts, imported, notes);
  if (notes.problems > 0) return refuse(notes, terminal);
  await writeFiles(texts, folder);
  report(notes, terminal);
  printSummary(imported, [...texts.keys()], folder, terminal);
  return 0;
}

const tooLong = `a file of more than ${maxFileBytes} bytes would become of it, which nobody reads; import a part of the project`;

function refuse(notes: Notes, terminal: Terminal): 1 {
  report(notes, terminal);
  terminal.print(`nothing written: ${count(notes.problems, "error")}`);
  return 1;
}

function report({ all }: Notes, terminal: Terminal): void {
  for (const note of all.toSorted(bySeverityAndPlace)) terminal.complain(renderDiagnostic(note, terminal.folder));
}

/** What `pallas check` would say of the manifests is said of the places that they are made from. */
function judgeTexts(texts: ReadonlyMap<FileName, string>, imported: ImportedProject, notes: Notes): void {
  const { instance, agents, programs } = imported;
  const manifests = noManifests();
  for (const [name, text] of texts) {
    if (Buffer.byteLength(text) > maxFileBytes) notes.problem(instance.place, tooLong);
    else if (name.endsWith(".yaml")) addFile(manifests, name, true, { text, changedAt: "" });
  }
  // That a cluster has no programs of this machine is said already.
  const mode = programs.some(({ spec }) => spec.local !== undefined) ? "local" : "cluster";
  const { diagnostics } = judge(manifests, { mode }, {});
  const places = new Map<string, Place>([
    ...agents.map(({ source }) => [`PallasAgent default/${source.name}`, source.place] as const),
    ...programs.map(({ resource, place }) => [`PallasServer default/${resource}`, place] as const),
  ]);
  for (const { severity, message } of diagnostics) {
    // A text that could not be read is said already, and is to be written before the manifests are used.
    if (severity !== "error" || message.endsWith(unwritten)) continue;
    const subject = /^\w+ [^:\s]+/.exec(message)?.[0] ?? "";
    notes.problem(places.get(subject) ?? instance.place, `what is made of it would be refused: ${message}`);
  }
}

function printSummary(
  { instance, agents, programs, secrets, variables, registryPort, hasModel }: ImportedProject,
  names: readonly FileName[],
  folder: string,
  terminal: Terminal,
): void {
  const shown = relative(terminal.folder, folder) || ".";
  const servers = programs.length === 0 ? "" : `, ${count(programs.length, "tool server")}`;
  const what = `instance "${instance.name}"${servers} and ${count(agents.length, "agent")}`;
  terminal.print(`${shown}: ${what} in ${names.join(", ")}`);
  const wanted = [...new Set(secrets.all.map(({ variable }) => variable))];
  const unset = wanted.filter((name) => !variables.names.has(name));
  if (unset.length > 0) terminal.print(`fill in, in ${shown}/.env: ${unset.join(", ")}`);
  if (wanted.length > unset.length) terminal.print(`copy .env of the project to ${shown}/.env`);
  const port = registryPort === undefined ? "" : ` --port ${registryPort}`;
  const trust = programs.length === 0 ? "" : " --trust";
  terminal.print(`then: pallas check --local -f ${shown}, and pallas up -f ${shown}${port}${trust}`);
  terminal.print(describeModels(agents, hasModel, shown));
}

/** Last and alone, because agents without a model run and only echo. */
function describeModels(agents: readonly ImportedAgent[], hasModel: boolean, shown: string): string {
  const lacking = hasModel ? 0 : agents.filter(({ spec }) => spec.model === undefined).length;
  if (lacking === 0) return "every agent has a model";
  const verb = lacking === 1 ? "still needs a model and only echoes" : "still need a model and only echo";
  return `${count(lacking, "agent")} ${verb}: write spec.defaultModel in ${shown}/instance.yaml, or import with --model`;
}
