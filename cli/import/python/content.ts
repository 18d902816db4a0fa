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

/** One literal, or several one after another, which are one text to Python. */
export function stringContent(sources: readonly string[]): Content {
  const parts = sources.map((source) => {
    const quoted = splitLiteral(source);
    return quoted && decodeBody(quoted.body, quoted.prefix);
  });
  const whole = parts.filter((part) => part !== undefined);
  return whole.length === parts.length ? text(whole.join("")) : opaque("is a text that cannot be read without Python");
}

export function numberContent(source: string): Content {
  const value = Number(source.replaceAll("_", ""));
  return Number.isFinite(value) ? { kind: "scalar", value } : opaque("is a number that cannot be read");
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
