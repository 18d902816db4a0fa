// The agents that a module defines with decorators, the cards that it loads, and what else it registers.
import { workflowKinds, type Definition } from "../definition.ts";
import type { Field } from "../field.ts";
import type { Notes } from "../notes.ts";
import type { ProjectFiles } from "../project-files.ts";
import { Evaluator } from "./evaluate.ts";
import { parseModule, type PythonCall, type PythonModule } from "./module.ts";

export interface ModuleDefinitions {
  definitions: Definition[];
  /** Cards that it loads, relative to the project. */
  cardPaths: Field[];
}

/** The file of a module by its dotted name, or why there is none. */
export function findModule(name: string, files: ProjectFiles): { path: string } | string {
  if (!/^[\p{L}\p{N}_]+(\.[\p{L}\p{N}_]+)*$/u.test(name)) return "is not the name of a module";
  const reads = [".py", "/__init__.py"].map((ending) => files.read(`${name.replaceAll(".", "/")}${ending}`));
  const found = reads.find(({ ok }) => ok);
  if (found !== undefined) return { path: files.shown(found.file) };
  return reads.map((read) => `${files.shown(read.file)} ${read.ok ? "" : read.message}`).join(", and ");
}

/** Whether a module of unknown use has agents in it. */
export const mentionsFastAgent = (text: string): boolean => /\b(fast_agent|mcp_agent)\b/.test(text);

export function readDefinitions(path: string, files: ProjectFiles, notes: Notes): ModuleDefinitions {
  const found: ModuleDefinitions = { definitions: [], cardPaths: [] };
  const read = files.read(path);
  if (!read.ok) return found;
  const module = parseModule(path, read.file, read.text);
  if (module.firstError !== undefined) {
    const message = "Python is not understood from here on; what follows may be missing in the manifests";
    notes.warn(module.firstError, message);
  }
  const evaluator = new Evaluator(module, (named) => files.read(named));
  for (const call of module.calls) {
    const { name, isDecorator, node } = call;
    const kind = ["agent", ...workflowKinds].find((each) => isDecorator && name.endsWith(`.${each}`));
    if (kind !== undefined) {
      found.definitions.push(...readDefinition(kind, call, module, evaluator, notes));
    } else if (isDecorator && /(?<!^mcp|^server)\.tool$/.test(name)) {
      const why = "a tool in Python, and agents run no code";
      const message = `@${name}: not carried over: ${why}; serve it as an MCP server and name that in spec.servers`;
      notes.warn(module.place(node), message);
    } else if (/\.load_agents?$/.test(name)) {
      found.cardPaths.push(...evaluator.argumentsOf(node).positional.slice(0, 1));
    }
  }
  return found;
}

function readDefinition(
  kind: string,
  call: PythonCall,
  module: PythonModule,
  evaluator: Evaluator,
  notes: Notes,
): Definition[] {
  const place = module.place(call.node);
  const { positional, named: fields } = evaluator.argumentsOf(call.node);
  const [first, second] = kind === "custom" ? positional.slice(1) : positional;
  if (first !== undefined) fields.set("name", first);
  if (second !== undefined) fields.set("instruction", second);
  const name = fields.get("name") ?? { kind: "scalar", value: "default", place };
  if (name.kind !== "scalar" || typeof name.value !== "string") {
    const why = name.kind === "opaque" ? name.why : "is no text";
    notes.warn(place, `@${call.name}: not carried over: its name ${why}; write the agent by hand`);
    return [];
  }
  const instruction = fields.get("instruction");
  if (instruction?.kind === "path") {
    fields.set("instruction", { ...evaluator.readText(instruction.path), place: instruction.place });
  }
  return [{ kind, name: name.value, place, source: module.path, fields }];
}
