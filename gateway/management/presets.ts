// Presets: beginnings of agents that somebody keeps in ConfigMaps with the label `pallas.helu.ca/preset`: `spec` of a PallasAgent as
// YAML or JSON, without instanceRef, and `title` and `description` for people. What such a text says is
// read under limits and not trusted; whether an agent may be made of it is judged when one is.
import { CORE_SCHEMA, load } from "js-yaml";
import { defined } from "../../lib/process/defined.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { PresetSource, PresetText } from "../state/presets.ts";

export interface Preset {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Why no agent can be made of it. */
  readonly problem?: string;
}

/** The first by name are kept. */
export const maxPresets = 64;
/** Of each text of one. */
export const maxPresetChars = 32_768;
/** YAML's aliases make much of little: values in one spec. */
const maxValues = 10_000;

/** By name. */
export function listPresets(source: Pick<PresetSource, "listPresets">): Preset[] {
  return source
    .listPresets()
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, maxPresets)
    .map(readPreset);
}

function readPreset({ name, data }: PresetText): Preset {
  const { title, description, spec: text } = data;
  const told = { name, ...defined({ title: title && cut(title), description: description && cut(description) }) };
  if (text === undefined) return { ...told, problem: `expected the key "spec", found ${keysOf(data)}; add it` };
  if (text.length > maxPresetChars) {
    return {
      ...told,
      problem: `spec: expected at most ${maxPresetChars} characters, found ${text.length}; shorten it`,
    };
  }
  try {
    return { ...told, spec: parseSpec(text) };
  } catch (error) {
    return { ...told, problem: `spec: ${error instanceof Error ? cut(error.message) : "cannot be read"}` };
  }
}

const cut = (text: string): string => (text.length <= 1_000 ? text : `${text.slice(0, 999)}…`);

const keysOf = (data: object): string => {
  const keys = Object.keys(data);
  return keys.length === 0 ? "no keys" : keys.slice(0, 10).join(", ");
};

function parseSpec(text: string): Record<string, unknown> {
  const value: unknown = load(text, { schema: CORE_SCHEMA });
  if (!isJsonObject(value)) throw new Error("expected the spec of an agent, an object; found something else");
  let left = maxValues;
  const copy = (part: unknown): unknown => {
    left -= 1;
    if (left < 0) throw new Error(`expected at most ${maxValues} values, found more; shorten it`);
    if (Array.isArray(part)) return part.map(copy);
    return isJsonObject(part) ? Object.fromEntries(Object.entries(part).map(([key, each]) => [key, copy(each)])) : part;
  };
  const copied = copy(value);
  if (!isJsonObject(copied)) throw new Error("expected an object");
  return copied;
}
