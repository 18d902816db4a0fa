// Whether a value is small enough to be said to a model inside of a schema: defaults, constants and listed values come from
// servers, of any size and depth. Looks at a bounded part of it only.
import type { Allowance } from "./schema.ts";

const maxDepth = 4;
const maxChars = 1_000;

/** Takes what the value costs from the allowance, where it is small enough. */
export function isBoundedJson(value: unknown, allowance: Allowance): boolean {
  const left = Math.min(maxChars, allowance.characters);
  const cost = measure(value, 0, left);
  if (cost > left) return false;
  allowance.characters -= cost;
  return true;
}

/** Characters, or more than `left` where it is too large, too deep or nothing that JSON has. */
function measure(value: unknown, depth: number, left: number): number {
  if (value === null || typeof value === "boolean") return 4;
  if (typeof value === "number") return Number.isFinite(value) ? 8 : Infinity;
  if (typeof value === "string") return value.length <= left && value.isWellFormed() ? value.length + 2 : Infinity;
  if (typeof value !== "object" || depth >= maxDepth) return Infinity;
  let cost = 2;
  for (const [key, each] of Object.entries(value)) {
    cost += measure(key, depth, left - cost) + measure(each, depth + 1, left - cost);
    if (cost > left) return Infinity;
  }
  return cost;
}
