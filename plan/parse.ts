// From anything to a typed resource: the schema of crds/, its issues told as faults. This is what the API server's
// validation is in a cluster, and it is held equal to it by a differential test (CFG-5). What the API server serves has
// that behind it and is read by parse-watched.ts.
import * as z from "zod";
import { agentManifest, type PallasAgent } from "../crds/agent.ts";
import { instanceManifest, type PallasInstance } from "../crds/instance.ts";
import { suggestion } from "./did-you-mean.ts";
import { formatPath, type Fault, type Outcome } from "./fault.ts";

/** The schema that a path leads to, through optionals, defaults, lists and maps. */
export function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  ) {
    return schemaAt(schema.def.innerType, path);
  }
  const [head, ...rest] = path;
  if (head === undefined) return schema;
  if (schema instanceof z.ZodObject) {
    const name = String(head);
    const child: z.core.$ZodType | undefined = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    return child && schemaAt(child, rest);
  }
  if (schema instanceof z.ZodArray) return schemaAt(schema.element, rest);
  if (schema instanceof z.ZodRecord) return schemaAt(schema.valueType, rest);
  return undefined;
}

/**
 * A copy without null where the schema has a field: to the API server such a field is absent, and `servers:` with
 * nothing after it is null in YAML. A key that the schema does not have is kept, to be named, or dropped.
 */
export function withoutNulls(schema: z.core.$ZodType, raw: unknown, unknownKeys: "kept" | "dropped"): unknown {
  const at = schemaAt(schema, []);
  if (Array.isArray(raw)) {
    return at instanceof z.ZodArray ? raw.map((item) => withoutNulls(at.element, item, unknownKeys)) : raw;
  }
  if (typeof raw !== "object" || raw === null) return raw;
  const isDropped = unknownKeys === "dropped" && at instanceof z.ZodObject;
  const entries = Object.entries(raw).flatMap(([key, value]): [string, unknown][] => {
    const child = at && schemaAt(at, [key]);
    if (!child) return isDropped ? [] : [[key, value]];
    return value === null ? [] : [[key, withoutNulls(child, value, unknownKeys)]];
  });
  return Object.fromEntries(entries);
}

const keysAt = (schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] => {
  const found = schemaAt(schema, path);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
};

function describeFound(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function describeIssue(issue: z.core.$ZodIssue, raw: unknown): string {
  const found = valueAt(raw, issue.path);
  if (found === undefined && issue.code !== "custom") return "is required, found nothing; add it";
  const said = issue.message.replace(/^Invalid (input|option|string): /, "");
  // A rule over an object speaks of its fields; printing the object would not help.
  return issue.code === "custom" && typeof found === "object" ? said : `${said}, found ${describeFound(found)}`;
}

function toFaults(schema: z.core.$ZodType, issue: z.core.$ZodIssue, raw: unknown): Fault[] {
  if (issue.code !== "unrecognized_keys") {
    return [{ reason: "InvalidField", path: formatPath(issue.path), message: describeIssue(issue, raw) }];
  }
  const known = keysAt(schema, issue.path);
  return issue.keys.map((key) => ({
    reason: "UnknownField",
    path: formatPath([...issue.path, key]),
    message: `unknown field "${key}"${suggestion(key, known)}; correct or remove it`,
  }));
}

/** The value by its schema, or every fault of it. */
export function parseBySchema<T extends z.ZodType>(schema: T, raw: unknown): Outcome<z.output<T>> {
  const result = schema.safeParse(raw);
  if (result.success) return { ok: true, value: result.data };
  const faults = result.error.issues.flatMap((issue) => toFaults(schema, issue, raw));
  const [first, ...others] = faults;
  if (!first) throw new Error("expected an issue from a failed parse, found none", { cause: result.error });
  return { ok: false, faults: [first, ...others] };
}

const parse = <T extends z.ZodType>(schema: T, manifest: unknown): Outcome<z.output<T>> =>
  parseBySchema(schema, withoutNulls(schema, manifest, "kept"));

/** A PallasAgent with the schema's defaults filled in, or every fault of it. */
export const parseAgent = (raw: unknown): Outcome<PallasAgent> => parse(agentManifest, raw);

/** A PallasInstance with the schema's defaults filled in, or every fault of it. */
export const parseInstance = (raw: unknown): Outcome<PallasInstance> => parse(instanceManifest, raw);
