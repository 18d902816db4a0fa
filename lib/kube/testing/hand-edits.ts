// Every small edit that somebody could make by hand to a JSON value: a scalar changed, a field or element removed or
// added, a list turned round. For tests of what is noticed of them; what an edit means is theirs to say.
import type { Path } from "../merge-rules.ts";

export interface HandEdit {
  readonly kind: "change" | "remove" | "add" | "reorder";
  /** Of the scalar changed or the part removed; for the others of the list or object. */
  readonly path: Path;
  /** The whole value after the edit. */
  readonly edited: unknown;
}

/** Edits at the places that `outline` has, made to `value`, which has these places too and may have more. */
export function* handEdits(outline: unknown, value: unknown): Generator<HandEdit> {
  for (const { path, kind, part } of edits(outline, value, [])) yield { path, kind, edited: part };
}

interface PartEdit {
  readonly kind: HandEdit["kind"];
  readonly path: Path;
  readonly part: unknown;
}

function* edits(outline: unknown, value: unknown, path: Path): Generator<PartEdit> {
  if (Array.isArray(outline) && Array.isArray(value)) yield* listEdits(outline, value, path);
  else if (isRecord(outline) && isRecord(value)) yield* objectEdits(outline, value, path);
  else yield { kind: "change", path, part: another(value) };
}

function* listEdits(outline: readonly unknown[], value: readonly unknown[], path: Path): Generator<PartEdit> {
  const added = value.length === 0 || isRecord(value[0]) ? { name: "by-hand" } : another(value[0]);
  yield { kind: "add", path, part: [...value, added] };
  yield { kind: "add", path, part: [added, ...value] };
  const reversed = value.toReversed();
  if (JSON.stringify(reversed) !== JSON.stringify(value)) yield { kind: "reorder", path, part: reversed };
  for (const [i, element] of outline.entries()) {
    const at = [...path, `[${i}]`];
    yield { kind: "remove", path: at, part: value.toSpliced(i, 1) };
    for (const edit of edits(element, value[i], at)) yield { ...edit, part: value.with(i, edit.part) };
  }
}

function* objectEdits(outline: JsonObject, value: JsonObject, path: Path): Generator<PartEdit> {
  for (const part of ["by-hand", {}]) yield { kind: "add", path, part: { ...value, added: part } };
  for (const [name, member] of Object.entries(outline)) {
    const at = [...path, name];
    const { [name]: _removed, ...rest } = value;
    yield { kind: "remove", path: at, part: rest };
    for (const edit of edits(member, value[name], at)) yield { ...edit, part: { ...value, [name]: edit.part } };
  }
}

function another(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : `${String(value)}-by-hand`;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
