// An agent that is not there yet: its name and its spec, as the fields of the form read and change them. What the form has no field for
// stays as the preset, or the manifest's text, has it. Pure.
export type Spec = Readonly<Record<string, unknown>>;

export interface Draft {
  readonly name: string;
  readonly spec: Spec;
}

export const emptyDraft: Draft = { name: "", spec: {} };

export const textFields = ["title", "description", "model", "instruction"] as const;
export type TextFieldName = (typeof textFields)[number];
export type ListFieldName = "servers" | "agents";

export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function readText(spec: Spec, field: TextFieldName): string {
  const value = spec[field];
  return typeof value === "string" ? value : "";
}

/** What is empty is not there, so that the instance's own holds. */
function setField(spec: Spec, field: string, value: unknown): Spec {
  const isEmpty = value === "" || value === undefined || (Array.isArray(value) && value.length === 0);
  const { [field]: _, ...others } = spec;
  if (isEmpty) return others;
  // A field that is there keeps its place.
  return Object.hasOwn(spec, field) ? { ...spec, [field]: value } : { ...others, [field]: value };
}

export const setText = (spec: Spec, field: TextFieldName, value: string): Spec => setField(spec, field, value);

const listOf = (spec: Spec, field: ListFieldName): readonly unknown[] => {
  const value = spec[field];
  return Array.isArray(value) ? value : [];
};

const nameOf = (entry: unknown): string | undefined => {
  const name = isFields(entry) ? entry["name"] : undefined;
  return typeof name === "string" ? name : undefined;
};

export const readNames = (spec: Spec, field: ListFieldName): string[] =>
  listOf(spec, field).flatMap((entry) => nameOf(entry) ?? []);

/** The others keep what else they say, such as which tools are allowed. */
export function toggleName(spec: Spec, field: ListFieldName, name: string): Spec {
  const list = listOf(spec, field);
  const without = list.filter((entry) => nameOf(entry) !== name);
  return setField(spec, field, without.length < list.length ? without : [...list, { name }]);
}

export const readPolicy = (spec: Spec): string => nameOf(spec["policyRef"]) ?? "";
export const setPolicy = (spec: Spec, name: string): Spec =>
  setField(spec, "policyRef", name === "" ? undefined : { name });

/** The ConfigMap that the instruction comes from, where it does. */
export const instructionSource = ({ instructionFrom: source }: Spec): string | undefined =>
  isFields(source) ? nameOf(source["configMapKeyRef"]) : undefined;
