// The words in which the files of this folder speak of a schema of the tidy form (tidy.ts). Judges nothing.

export interface Schema {
  [keyword: string]: unknown;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
  enum?: unknown[];
  $ref?: string;
  $defs?: Record<string, Schema>;
}

/** What may still be written, counted down. */
export interface Allowance {
  nodes: number;
  characters: number;
}

export const schemaTypes = ["string", "number", "integer", "boolean", "object", "array", "null"];

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listTypes = ({ type }: Schema): readonly string[] =>
  type === undefined ? [] : Array.isArray(type) ? type : [type];

export const includesType = (schema: Schema, name: string): boolean => listTypes(schema).includes(name);

export function uniqueJson<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** The one schema that lets in what any of these lets in. */
export function anyOfThem(variants: readonly Schema[]): Schema {
  const different = uniqueJson(variants);
  const [only = {}] = different;
  return different.length > 1 ? { anyOf: different } : only;
}

const maxHintChars = 300;

/** What a vendor's subset cannot say, told to the model in words. */
export function addHint(node: Schema, hint: string): void {
  const text = `(${hint.length > maxHintChars ? `${hint.slice(0, maxHintChars)}…` : hint})`.toWellFormed();
  node.description = node.description === undefined ? text : `${node.description} ${text}`;
}

/** A copy in which every schema directly inside is replaced. */
export function mapChildren(node: Schema, change: (child: Schema) => Schema): Schema {
  const copy: Schema = { ...node };
  for (const name of ["properties", "$defs"] as const) {
    const group = node[name];
    if (group !== undefined) {
      copy[name] = Object.fromEntries(Object.entries(group).map(([key, child]) => [key, change(child)]));
    }
  }
  for (const name of ["anyOf", "oneOf", "allOf"] as const) {
    const variants = node[name];
    if (variants !== undefined) copy[name] = variants.map(change);
  }
  for (const name of ["items", "not", "if", "then", "else"] as const) {
    const child = node[name];
    if (child !== undefined) copy[name] = change(child);
  }
  if (isRecord(node["additionalProperties"])) copy["additionalProperties"] = change(node["additionalProperties"]);
  return copy;
}
