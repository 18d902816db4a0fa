// A changed definition as lines: what stays, what went, what came, field by field, so that it can be read to its end before it is accepted.
// Texts keep their lines, everything else is JSON over lines. Pure.
import type { ToolChange } from "../../data/servers.ts";

export interface DifferenceLine {
  readonly kind: "equal" | "added" | "removed";
  readonly text: string;
}

export interface FieldDifference {
  readonly field: string;
  readonly lines: readonly DifferenceLine[];
}

/** Undefined where the gateway shows nothing of it. */
export function differenceOf({ change, fields, now }: ToolChange): readonly FieldDifference[] | undefined {
  if (fields !== null) return fields.map((each) => ({ field: each.field, lines: compareValues(each.old, each.new) }));
  if (change === "removed") return [];
  if (now === null || now === undefined) return undefined;
  return Object.entries(now).map(([field, value]) => ({ field, lines: linesOf(value).map(toLine("added")) }));
}

const toLine =
  (kind: DifferenceLine["kind"]) =>
  (text: string): DifferenceLine => ({ kind, text });

/** A value as people read it. Null is how the gateway says that there is none. */
function linesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return value.split(/\r\n|\r|\n/);
  return JSON.stringify(value, undefined, 2).split("\n");
}

export const compareValues = (old: unknown, now: unknown): DifferenceLine[] => compareLines(linesOf(old), linesOf(now));

/** Beyond it, the middle is told as gone and come as a whole: every line is still shown. */
const maxCompared = 1_000;

export function compareLines(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const [before, after] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  const middle =
    before.length > maxCompared || after.length > maxCompared
      ? [...before.map(toLine("removed")), ...after.map(toLine("added"))]
      : compareMiddle(before, after);
  return [...now.slice(0, head).map(toLine("equal")), ...middle, ...now.slice(now.length - tail).map(toLine("equal"))];
}

/** The longest common lines stay. */
function compareMiddle(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DifferenceLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (before !== undefined && before === after) {
      lines.push({ kind: "equal", text: before });
      i += 1;
      j += 1;
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: before });
      i += 1;
    } else if (after !== undefined) {
      lines.push({ kind: "added", text: after });
      j += 1;
    }
  }
  return lines;
}

export function countLines(fields: readonly FieldDifference[]): { added: number; removed: number } {
  const all = fields.flatMap(({ lines }) => lines);
  const count = (kind: DifferenceLine["kind"]) => all.filter((each) => each.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}
