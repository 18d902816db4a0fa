// A value found in a project, whatever it was written in, with the place to name when it cannot be carried over.
// Values are read only where a resource has a field for them: a message never shows one.
import type { Diagnostic } from "../manifests/diagnostic.ts";

export type Place = Pick<Diagnostic, "file" | "position">;

interface Found {
  readonly place: Place;
  /** From a file of secrets: read only where a Secret is referred to, or a URL expected. */
  readonly isSecret?: boolean;
}

export type Field = Found &
  (
    | { kind: "scalar"; value: string | number | boolean | null }
    | { kind: "list"; items: readonly Field[] }
    | { kind: "map"; entries: ReadonlyMap<string, Field> }
    /** A file that is named and not read yet; relative to the project. */
    | { kind: "path"; path: string }
    /** What only running the program could tell. */
    | { kind: "opaque"; why: string }
  );

export const emptyMap = (place: Place): Field => ({ kind: "map", entries: new Map(), place });

const forms: Readonly<Record<string, string>> = { string: "text", number: "a number", boolean: "true or false" };

/** Its form in words, never its value. */
export function describeForm(field: Field): string {
  if (field.kind === "list") return "a list";
  if (field.kind === "map") return "a mapping";
  if (field.kind === "path") return "a file";
  return field.kind === "opaque" ? field.why : (forms[typeof field.value] ?? "nothing");
}

/** Scalars and lists of them as a schema reads them; undefined for everything else. */
export function plainOf(field: Field): unknown {
  if (field.kind === "scalar") return field.value;
  return field.kind === "list"
    ? field.items.map((item) => (item.kind === "scalar" ? item.value : undefined))
    : undefined;
}

/** Two mappings laid over each other, as secrets over settings; anything else of `over` replaces what it covers. */
export function overlay(under: Field | undefined, over: Field): Field {
  if (under?.kind !== "map" || over.kind !== "map") return over;
  const entries = new Map(under.entries);
  for (const [key, field] of over.entries) entries.set(key, overlay(entries.get(key), field));
  return { kind: "map", entries, place: under.place };
}

/** What becomes of it in a manifest: what is undefined, or an empty list or mapping, is not written. */
export type Draft<T> = { [Key in keyof T]?: T[Key] | undefined };
