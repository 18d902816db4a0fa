// The arguments of a call beside those of the last approved one, value by value, by their paths: equal, changed, new or gone. Texts of
// several lines are compared line by line. Everything that is in the call is in the answer, whole. Pure.
import { compareLines, splitLines, type DifferenceLine } from "../../parts/line-difference.ts";
import { parseJson, type Json } from "../../parts/schema-form/json-text.ts";
import { isHiddenPath, parsePointer, type Path } from "./pointers.ts";

/**
 * A value without parts of its own: `word` is true, false or null, `empty` an object or a list with nothing in it, `raw` a text that is no
 * JSON.
 */
export interface Leaf {
  readonly kind: "string" | "number" | "word" | "empty" | "raw";
  readonly text: string;
}

export interface ArgumentRow {
  /** Unique among the rows. */
  readonly key: string;
  /** As people read a path: `lines[0].amount`; "" is the whole. */
  readonly label: string;
  readonly kind: "equal" | "changed" | "new" | "gone";
  readonly now: Leaf | undefined;
  readonly was: Leaf | undefined;
  /** Of a changed text with several lines. */
  readonly lines: readonly DifferenceLine[] | undefined;
  /** A rule keeps it to itself: what is there, and whether it differs, is not known. */
  readonly isHidden: boolean;
}

export interface Comparison {
  /** In the order of the call; what is gone stands where it stood. */
  readonly rows: readonly ArgumentRow[];
  readonly differing: number;
  /** The text is no JSON; then it is the one row. */
  readonly isUnreadable: boolean;
}

export interface Compared {
  /** As texts of JSON. */
  readonly now: string;
  /** Undefined: there is nothing to compare with, everything is new. */
  readonly was: string | undefined;
  /** JSON pointers of what a rule keeps to itself; a segment `*` is every member. */
  readonly redacted: readonly string[];
  /** Whether both are the same, what is hidden included. */
  readonly isSame: boolean;
}

const hiddenText = "[redacted]";

interface Found {
  readonly path: Path;
  readonly leaf: Leaf;
}

export function compareArguments({ now, was, redacted, isSame }: Compared): Comparison {
  const read = parseJson(now);
  if (read.fault !== undefined) return asOneRow(now);
  const before = was === undefined ? undefined : parseJson(was);
  const found = listLeaves(read.value);
  const old = new Map(before?.fault === undefined && before !== undefined ? listLeaves(before.value) : []);
  const pointers = redacted.map(parsePointer);
  const rows: ArgumentRow[] = [];
  const placed = new Map<string, number>();
  for (const [key, { path, leaf }] of found) {
    const isHidden = leaf.text === hiddenText && isHiddenPath(pointers, path);
    placed.set(key, rows.length);
    rows.push(compareLeaf({ key, path, now: leaf, was: old.get(key)?.leaf, isHidden, isSame }));
  }
  const gone = { found, old, isHidden: (path: Path) => isHiddenPath(pointers, path) };
  const all = insertGone(rows, placed, gone);
  return { rows: all, differing: all.filter(({ kind }) => kind !== "equal").length, isUnreadable: false };
}

function asOneRow(text: string): Comparison {
  const now: Leaf = { kind: "raw", text };
  const row: ArgumentRow = {
    key: "",
    label: "",
    kind: "new",
    now,
    was: undefined,
    lines: undefined,
    isHidden: false,
  };
  return { rows: [row], differing: 1, isUnreadable: true };
}

interface LeafPair {
  key: string;
  path: Path;
  now: Leaf;
  was: Leaf | undefined;
  isHidden: boolean;
  isSame: boolean;
}

function compareLeaf({ key, path, now, was, isHidden, isSame }: LeafPair): ArgumentRow {
  const isEqual = isHidden ? isSame : was !== undefined && was.kind === now.kind && was.text === now.text;
  const kind = isEqual ? "equal" : was === undefined ? "new" : "changed";
  const isText = kind === "changed" && now.kind === "string" && was?.kind === "string";
  const hasLines = isText && (now.text.includes("\n") || was.text.includes("\n"));
  const lines = hasLines ? compareLines(splitLines(was.text), splitLines(now.text)) : undefined;
  return {
    key,
    label: tellPath(path),
    kind,
    now,
    was: kind === "changed" && !isHidden ? was : undefined,
    lines,
    isHidden,
  };
}

interface GoneParts {
  found: ReadonlyMap<string, Found>;
  old: ReadonlyMap<string, Found>;
  isHidden(path: Path): boolean;
}

/** Puts what is gone behind what stood before it, as far as that is still there. */
function insertGone(
  rows: readonly ArgumentRow[],
  placed: ReadonlyMap<string, number>,
  { found, old, isHidden }: GoneParts,
): ArgumentRow[] {
  const goneBehind = new Map<number, ArgumentRow[]>();
  let behind = -1;
  for (const [key, { path, leaf }] of old) {
    const place = placed.get(key);
    if (place !== undefined) behind = place;
    if (found.has(key)) continue;
    const label = tellPath(path);
    const row: ArgumentRow = {
      key,
      label,
      kind: "gone",
      now: undefined,
      was: leaf,
      lines: undefined,
      isHidden: leaf.text === hiddenText && isHidden(path),
    };
    const others = goneBehind.get(behind);
    if (others === undefined) goneBehind.set(behind, [row]);
    else others.push(row);
  }
  return [...(goneBehind.get(-1) ?? []), ...rows.flatMap((row, index) => [row, ...(goneBehind.get(index) ?? [])])];
}

/** By a key of the path. */
function listLeaves(root: Json): Map<string, Found> {
  const leaves = new Map<string, Found>();
  const add = (path: Path, leaf: Leaf) => leaves.set(JSON.stringify(path), { path, leaf });
  const visit = (value: Json, path: Path): void => {
    if (value.kind === "object") {
      // A call without arguments has nothing to show.
      if (value.fields.size === 0 && path.length > 0) add(path, { kind: "empty", text: "{}" });
      for (const [name, field] of value.fields) visit(field, [...path, name]);
    } else if (value.kind === "array") {
      if (value.items.length === 0) add(path, { kind: "empty", text: "[]" });
      value.items.forEach((item, index) => visit(item, [...path, index]));
    } else {
      add(path, toLeaf(value));
    }
  };
  visit(root, []);
  return leaves;
}

function toLeaf(value: Exclude<Json, { kind: "object" | "array" }>): Leaf {
  if (value.kind === "null") return { kind: "word", text: "null" };
  if (value.kind === "boolean") return { kind: "word", text: String(value.value) };
  return { kind: value.kind === "draft" ? "raw" : value.kind, text: value.text };
}

const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

export function tellPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!plainName.test(part)) return index === 0 ? JSON.stringify(part) : `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

/** Whether a reader could take a text for something else: "12", "true", "", or one with space at its ends. */
export const isEasilyMistaken = ({ kind, text }: Leaf): boolean =>
  kind === "string" && (/^\s|\s$/.test(text) || text === "" || parseJson(text).fault === undefined);
