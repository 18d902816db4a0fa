// A changed definition as lines: what stays, what went, what came, field by field, so that it can be read to its end before it is accepted.
// Texts keep their lines, everything else is JSON over lines. Pure.
import type { ToolChange } from "../../data/servers.ts";
import { compareLines, type DifferenceLine } from "../../parts/line-difference.ts";

export interface FieldDifference {
  readonly field: string;
  readonly lines: readonly DifferenceLine[];
}

/** Undefined where the gateway shows nothing of it. */
export function differenceOf({ change, fields, now }: ToolChange): readonly FieldDifference[] | undefined {
  if (fields !== null) return fields.map((each) => ({ field: each.field, lines: compareValues(each.old, each.new) }));
  if (change === "removed") return [];
  if (now === null || now === undefined) return undefined;
  return Object.entries(now).map(([field, value]) => ({
    field,
    lines: linesOf(value).map((text) => ({ kind: "added" as const, text })),
  }));
}

/** A value as people read it. Null is how the gateway says that there is none. */
function linesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return value.split(/\r\n|\r|\n/);
  return JSON.stringify(value, undefined, 2).split("\n");
}

export const compareValues = (old: unknown, now: unknown): DifferenceLine[] => compareLines(linesOf(old), linesOf(now));

export function countLines(fields: readonly FieldDifference[]): { added: number; removed: number } {
  const all = fields.flatMap(({ lines }) => lines);
  const count = (kind: DifferenceLine["kind"]) => all.filter((each) => each.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}
