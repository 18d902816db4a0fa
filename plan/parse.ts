// From anything to a typed resource: the schema of crds/, its issues told as problems. This is what the API server's
// validation is in a cluster, and it is held equal to it by a differential test (CFG-5). What the API server serves has
// that behind it and is read by parse-watched.ts.
import * as z from "zod";
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasPolicy } from "../crds/policy.ts";
import type { PallasServer } from "../crds/server.ts";
import { kinds, type Kind } from "../crds/kinds.ts";
import { describeIssue, describeUnknownKey } from "./describe-issue.ts";
import { formatPath, type ValidationError, type Outcome } from "./validation-error.ts";
import { schemaAt } from "./schema-at.ts";

/** Null is a value there, which the API server keeps. */
const admitsNull = (schema: z.core.$ZodType, key: string): boolean => {
  const at = schemaAt(schema, []);
  if (at instanceof z.ZodRecord) return z.safeParse(at.valueType, null).success;
  const field = at instanceof z.ZodObject ? at.shape[key] : undefined;
  return field !== undefined && z.safeParse(field, null).success;
};

/**
 * A copy without null where the schema has a field that cannot be null: to the API server it is absent, and `servers:` with
 * nothing after it is null in YAML. A key that the schema does not have is kept, to be named, or dropped.
 */
export function withoutNulls(schema: z.core.$ZodType, raw: unknown, unknownKeys: "kept" | "dropped"): unknown {
  const at = schemaAt(schema, []);
  if (Array.isArray(raw)) {
    return at instanceof z.ZodArray ? raw.map((item) => withoutNulls(at.element, item, unknownKeys)) : raw;
  }
  if (typeof raw !== "object" || raw === null) return raw;
  const isOpen = at instanceof z.ZodObject && at.def.catchall instanceof z.ZodUnknown;
  const isDropped = unknownKeys === "dropped" && at instanceof z.ZodObject && !isOpen;
  const entries = Object.entries(raw).flatMap(([key, value]): [string, unknown][] => {
    const child = at && schemaAt(at, [key]);
    if (!child) return isDropped ? [] : [[key, value]];
    if (value === null) return admitsNull(schema, key) ? [[key, null]] : [];
    return [[key, withoutNulls(child, value, unknownKeys)]];
  });
  return Object.fromEntries(entries);
}

function toProblems(schema: z.core.$ZodType, issue: z.core.$ZodIssue, raw: unknown): ValidationError[] {
  if (issue.code !== "unrecognized_keys") {
    return [{ reason: "InvalidField", path: formatPath(issue.path), message: describeIssue(issue, schema, raw) }];
  }
  return issue.keys.map((key) => {
    const message = describeUnknownKey(key, schema, issue.path);
    const isShown = message.startsWith("unknown field");
    return { reason: "UnknownField", path: formatPath(isShown ? [...issue.path, key] : issue.path), message };
  });
}

/** The value by its schema, or every problem of it. */
export function parseBySchema<T extends z.ZodType>(schema: T, raw: unknown): Outcome<z.output<T>> {
  const result = schema.safeParse(raw);
  if (result.success) return { ok: true, value: result.data };
  const problems = result.error.issues.flatMap((issue) => toProblems(schema, issue, raw));
  const [first, ...others] = problems;
  if (!first) throw new Error("expected an issue from a failed parse, found none", { cause: result.error });
  return { ok: false, problems: [first, ...others] };
}

/** A manifest of a kind with the schema's defaults filled in, or every problem of it. */
export const parseResource = <Manifest>(
  { manifest: schema }: Kind<unknown, unknown, Manifest>,
  raw: unknown,
): Outcome<Manifest> => parseBySchema(schema, withoutNulls(schema, raw, "kept"));

export const parseAgent = (raw: unknown): Outcome<PallasAgent> => parseResource(kinds.PallasAgent, raw);
export const parseServer = (raw: unknown): Outcome<PallasServer> => parseResource(kinds.PallasServer, raw);
export const parsePolicy = (raw: unknown): Outcome<PallasPolicy> => parseResource(kinds.PallasPolicy, raw);
export const parseInstance = (raw: unknown): Outcome<PallasInstance> => parseResource(kinds.PallasInstance, raw);
