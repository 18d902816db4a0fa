// How much of many changed definitions is in the page: so many lines, and as many more each time that somebody asks for them. A page that
// held thousands of definitions at once would stand still for a minute. Nothing is left out in between: what is not shown is what comes
// last, and only who has all of it before them can have read to the end. Pure.
import type { ToolChange } from "../../data/servers.ts";
import { countLines, differenceOf, type FieldDifference } from "./definition-difference.ts";

/** Shown at first, and added each time. */
export const portionLines = 500;

export interface ShownChange {
  readonly change: ToolChange;
  /** Undefined where the gateway shows nothing of it. */
  readonly fields: readonly FieldDifference[] | undefined;
  /** Of the whole, once all of it is shown. */
  readonly counts: { readonly added: number; readonly removed: number } | undefined;
}

export interface ShownChanges {
  readonly shown: readonly ShownChange[];
  /** How many are not shown, or not to their end. */
  readonly left: number;
}

export function takeChanges(changes: readonly ToolChange[], maxLines: number): ShownChanges {
  const shown: ShownChange[] = [];
  let room = maxLines;
  for (const change of changes) {
    if (room <= 0) break;
    const whole = differenceOf(change);
    const fields = whole && cut(whole, room);
    const isWhole = countAll(fields) === countAll(whole);
    shown.push({ change, fields, counts: isWhole ? countLines(whole ?? []) : undefined });
    if (!isWhole) return { shown, left: changes.length - shown.length + 1 };
    // What has no lines has a heading.
    room -= Math.max(1, countAll(whole));
  }
  return { shown, left: changes.length - shown.length };
}

function cut(fields: readonly FieldDifference[], maxLines: number): FieldDifference[] {
  const kept: FieldDifference[] = [];
  let room = maxLines;
  for (const { field, lines } of fields) {
    if (room <= 0) break;
    kept.push({ field, lines: lines.slice(0, room) });
    room -= lines.length;
  }
  return kept;
}

const countAll = (fields: readonly FieldDifference[] = []): number =>
  fields.reduce((all, { lines }) => all + lines.length, 0);
