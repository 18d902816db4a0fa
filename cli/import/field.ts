// A value found in a project, whatever it was written in, with the place to name when it cannot be carried over.
// Values are read only where a resource has a field for them: a message never shows one.
import type { Diagnostic } from "../manifests/diagnostic.ts";

export type Place = Pick<Diagnostic, "file" | "position">;

export type Scalar = string | number | boolean | null;

interface Found {
  readonly place: Place;
  /** From a file of secrets: read only where a Secret is referred to, or a URL expected. */
  readonly isSecret?: boolean;
}

export type Field = Found &
  (
    | { kind: "scalar"; value: Scalar }
    | { kind: "list"; items: readonly Field[] }
    | { kind: "map"; entries: ReadonlyMap<string, Field> }
    /** A file that is named and not read yet; relative to the project. */
    | { kind: "path"; path: string }
    /** What only running the program could tell. */
    | { kind: "opaque"; why: string }
  );

/** Its form in words, never its value. */
export function describeForm(field: Field): string {
  if (field.kind === "list") return "a list";
  if (field.kind === "map") return "a mapping";
  if (field.kind === "path") return "a file";
  if (field.kind === "opaque") return field.why;
  if (field.value === null) return "nothing";
  const forms = { string: "text", number: "a number", boolean: "true or false" };
  const form = typeof field.value;
  return form === "string" || form === "number" || form === "boolean" ? forms[form] : form;
}

/** Two mappings laid over each other, as secrets over settings; anything else of `over` replaces what it covers. */
export function overlay(under: Field, over: Field): Field {
  if (under.kind !== "map" || over.kind !== "map") return over;
  const entries = new Map(under.entries);
  for (const [key, field] of over.entries) {
    const covered = entries.get(key);
    entries.set(key, covered === undefined ? field : overlay(covered, field));
  }
  return {
    kind: "map",
    entries,
    get place() {
      return under.place;
    },
  };
}
