// What an expression can stand for, and what texts and paths become of each other. Nothing here looks at an expression.
import { posix } from "node:path";
import type { Field } from "../field.ts";
import { decodeBody, splitLiteral } from "./string-literal.ts";

/** Characters of a text that is put together. */
const maxTextLength = 4 * 1024 * 1024;

/** A field without its place. */
export type Content = Field extends infer Each ? (Each extends Field ? Omit<Each, "place"> : never) : never;

export const opaque = (why: string): Content => ({ kind: "opaque", why });
export const text = (value: string): Content =>
  value.length > maxTextLength ? opaque(`is longer than ${maxTextLength} characters`) : { kind: "scalar", value };

export function stringContent(source: string): Content {
  const quoted = splitLiteral(source);
  const decoded = quoted && decodeBody(quoted.body, quoted.prefix);
  return decoded === undefined ? opaque("is a text that cannot be read without Python") : text(decoded);
}

export function numberContent(source: string): Content {
  const value = Number(source.replaceAll("_", ""));
  return Number.isFinite(value) ? { kind: "scalar", value } : opaque("is a number that cannot be read");
}

/** Texts one after another; an opaque part makes the whole opaque. */
export function joined(parts: readonly Field[], separator: string): Content {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.kind === "opaque") return opaque(part.why);
    if (part.kind !== "scalar" || typeof part.value !== "string") return opaque("is put together from more than texts");
    texts.push(part.value);
  }
  return text(texts.join(separator));
}

export function pathOf(parts: readonly Field[]): Content {
  const names: string[] = [];
  for (const part of parts) {
    if (part.kind === "path") names.push(part.path);
    else if (part.kind === "scalar" && typeof part.value === "string") names.push(part.value);
    else return opaque("is a path that is made by code");
  }
  // As in Python, an absolute part replaces what stands before it; it then leads out of the project.
  const from = names.findLastIndex((name) => name.startsWith("/"));
  return { kind: "path", path: posix.join(...names.slice(Math.max(0, from))) };
}

export function changedText(field: Field, change: (value: string) => string): Content {
  if (field.kind === "scalar" && typeof field.value === "string") return text(change(field.value));
  return opaque(field.kind === "opaque" ? field.why : "is made by code, which is not run");
}

/** What textwrap.dedent does: the white space that all lines begin with is taken away. */
export function dedent(value: string): string {
  const lines = value.split("\n").map((line) => (line.trim() === "" ? "" : line));
  const margins = lines.filter((line) => line !== "").map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  const margin = margins.reduce((shared, next) => {
    let length = 0;
    while (length < shared.length && shared[length] === next[length]) length += 1;
    return shared.slice(0, length);
  }, margins[0] ?? "");
  return lines.map((line) => line.slice(line === "" ? 0 : margin.length)).join("\n");
}
