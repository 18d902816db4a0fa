// What is wrong with a resource, in the one form that conditions, `pallas check` and local mode share.
import type { ValidationReason } from "../crds/conditions.ts";

export interface ValidationError {
  reason: ValidationReason;
  /** Where, as the API server writes it: spec.servers[0].name. Empty: the whole object. */
  path: string;
  /** What was expected, what was found, and the cure. */
  message: string;
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; problems: [ValidationError, ...ValidationError[]] };

/** `["spec", "servers", 0, "name"]` → `spec.servers[0].name`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");

/** One line for people: `spec.model: provider "x" is not …`. */
export const formatProblem = ({ path, message }: ValidationError): string =>
  path === "" ? message : `${path}: ${message}`;

/** Quoted and listed, for "expected one of …"; at most ten, so that a message stays readable. */
export function listNames(names: Iterable<string>): string {
  const all = [...names];
  if (all.length === 0) return "none";
  const shown = all.slice(0, 10).map((name) => `"${name}"`);
  return all.length > 10 ? `${shown.join(", ")} and ${all.length - 10} more` : shown.join(", ");
}
