// Takes out of arguments what a policy wants shown to nobody. A value of another shape than a pointer expects is taken out
// whole: whoever sends a card's number where its object belongs must not have it shown.
import { isIndex, parsePointer } from "./pointer.ts";

export const redacted = "[redacted]";

/**
 * A copy in which what the pointers name reads `[redacted]`; a segment `*` stands for every member. What is not there stays
 * away, and parts that no pointer leads into are shared with the original.
 * @throws Error where one is no JSON pointer; those of a compiled policy are.
 */
export function redact(value: unknown, pointers: readonly string[]): unknown {
  return redactAt(value, pointers.map(segmentsOf), 0);
}

function segmentsOf(pointer: string): readonly string[] {
  const segments = parsePointer(pointer);
  if (typeof segments !== "string") return segments;
  throw new Error(`expected ${segments}, found ${JSON.stringify(pointer.slice(0, 40))}`);
}

/** @param paths those that lead here, each by its first `depth` segments */
function redactAt(value: unknown, paths: readonly (readonly string[])[], depth: number): unknown {
  if (paths.length === 0 || value === undefined) return value;
  if (typeof value !== "object" || value === null || paths.some((path) => path.length === depth)) return redacted;
  const onwards = (name: string) => paths.filter((path) => path[depth] === "*" || path[depth] === name);
  if (!Array.isArray(value)) {
    // Not by assignment, which for a member named __proto__ would set the copy's prototype.
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, redactAt(member, onwards(name), depth + 1)]),
    );
  }
  if (paths.some((path) => path[depth] !== "*" && !isIndex(path[depth] ?? ""))) return redacted;
  return value.map((item: unknown, at) => redactAt(item, onwards(String(at)), depth + 1));
}
