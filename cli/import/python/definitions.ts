// The agents that a module defines with decorators, the folders of cards that it loads, and what else it registers.
import type { Definition, DefinitionKind } from "../definition.ts";
import { workflowKinds } from "../definition.ts";
import type { Field } from "../field.ts";
import type { Notes } from "../notes.ts";
import { callArguments, type EvaluationContext } from "./evaluate.ts";
import { placeAt, type PythonCall, type PythonModule } from "./module.ts";
import type { PythonModules } from "./modules.ts";

export interface ModuleDefinitions {
  definitions: Definition[];
  /** Cards that it loads, relative to the project. */
  cardPaths: Field[];
}

const kindOf = (decorator: string): DefinitionKind | undefined => {
  const last = decorator.slice(decorator.lastIndexOf(".") + 1);
  if (!decorator.includes(".")) return undefined;
  return last === "agent" ? "agent" : workflowKinds.find((kind) => kind === last);
};

/** Whether a module of unknown use has agents in it. */
export const mentionsFastAgent = (text: string): boolean => /\b(fast_agent|mcp_agent)\b/.test(text);

export function readDefinitions(module: PythonModule, modules: PythonModules, notes: Notes): ModuleDefinitions {
  const found: ModuleDefinitions = { definitions: [], cardPaths: [] };
  for (const call of module.calls) {
    const kind = call.isDecorator ? kindOf(call.name) : undefined;
    const context = modules.context(module);
    if (kind !== undefined) {
      const definition = readDefinition(kind, call, context, notes);
      if (definition !== undefined) found.definitions.push(definition);
    } else if (call.isDecorator && /(?<!^mcp|^server)\.tool$/.test(call.name)) {
      const message = `@${call.name}: not carried over: a tool in Python, and agents run no code; serve it as an MCP server and name that in spec.servers`;
      notes.warn(placeAt(module, call.node.from), message);
    } else if (/\.load_agents?$/.test(call.name) && call.arguments !== undefined) {
      const [path] = callArguments(call.arguments, context).positional;
      if (path !== undefined) found.cardPaths.push(path);
    }
  }
  return found;
}

function readDefinition(
  kind: DefinitionKind,
  call: PythonCall,
  context: EvaluationContext,
  notes: Notes,
): Definition | undefined {
  const place = placeAt(context.module, call.node.from);
  const { positional, named } =
    call.arguments === undefined
      ? { positional: [], named: new Map<string, Field>() }
      : callArguments(call.arguments, context);
  const [first, second] = kind === "custom" ? positional.slice(1) : positional;
  const fields = new Map(named);
  if (first !== undefined) fields.set("name", first);
  if (second !== undefined) fields.set("instruction", second);
  const name = fields.get("name") ?? { kind: "scalar", value: "default", place };
  if (name.kind !== "scalar" || typeof name.value !== "string") {
    const why = name.kind === "opaque" ? name.why : "is no text";
    notes.warn(place, `@${call.name}: not carried over: its name ${why}; write the agent by hand`);
    return undefined;
  }
  const instruction = fields.get("instruction");
  if (instruction?.kind === "path") fields.set("instruction", readPath(instruction.path, instruction, context));
  return { kind, name: name.value, place, fields };
}

function readPath(path: string, { place }: Field, { readText }: EvaluationContext): Field {
  const read = readText(path);
  if (read.ok) return { kind: "scalar", value: read.text, place };
  return { kind: "opaque", why: `names the file ${path}, which ${read.message}`, place };
}
