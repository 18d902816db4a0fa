// JSON as somebody wrote it: numbers stay the text that they are, fields keep their order, and what does not parse yet is kept as a draft
// instead of being left out. Reading is linear and bounded in depth, and says the line and the column of what is wrong.
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { fill } from "../../words/fill.ts";

export type Json =
  | { readonly kind: "null" }
  | { readonly kind: "boolean"; readonly value: boolean }
  /** As JSON has it: all its digits. */
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "array"; readonly items: readonly Json[] }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Json> }
  /** A text that is to be JSON and is not: shown as it is, never sent. */
  | { readonly kind: "draft"; readonly text: string };

export type JsonFields = ReadonlyMap<string, Json>;

export const jsonNull: Json = { kind: "null" };
const jsonBoolean = (value: boolean): Json => ({ kind: "boolean", value });

export const jsonString = (text: string): Json => ({ kind: "string", text });
export const jsonArray = (items: readonly Json[]): Json => ({ kind: "array", items });
export const jsonObject = (fields: Iterable<readonly [string, Json]> = []): Json => ({
  kind: "object",
  fields: new Map(fields),
});

const wholeNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
export const isNumberText = (text: string): boolean => wholeNumber.test(text);

export interface JsonFault {
  readonly message: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly at: number;
}

export type JsonRead = { readonly value: Json; readonly fault?: undefined } | { readonly fault: JsonFault };

/** As deep as the gateway takes. */
export const maxJsonDepth = 64;

class Fault extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

export function parseJson(text: string): JsonRead {
  const reader = new Reader(text);
  try {
    return { value: reader.readWhole() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const before = text.slice(0, error.at);
    const line = before.split("\n").length;
    const column = error.at - before.lastIndexOf("\n");
    return { fault: { message: error.message, line, column, at: error.at } };
  }
}

/** The value, or a draft of the text. */
export function parseDraft(text: string): Json {
  const read = parseJson(text);
  return read.fault === undefined ? read.value : { kind: "draft", text };
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readWhole(): Json {
    const value = this.#read();
    if (this.#peek() !== undefined) throw this.#fault(words.jsonAfterEnd);
    return value;
  }

  #read(): Json {
    const next = this.#peek();
    if (next === undefined) throw this.#fault(words.jsonEnded);
    if (next === "{") return this.#inside(() => this.#object());
    if (next === "[") return this.#inside(() => this.#array());
    if (next === '"') return jsonString(this.#string());
    return this.#word();
  }

  #inside(read: () => Json): Json {
    if (this.#depth === maxJsonDepth) throw this.#fault(fill(words.jsonTooDeep, { max: maxJsonDepth }));
    this.#depth += 1;
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): Json {
    const fields = new Map<string, Json>();
    if (this.#take("}")) return { kind: "object", fields };
    do {
      if (this.#peek() !== '"') throw this.#fault(words.jsonKey);
      const start = this.#at;
      const key = this.#string();
      if (fields.has(key)) throw new Fault(fill(words.jsonTwice, { key }), start);
      if (!this.#take(":")) throw this.#fault(words.jsonColon);
      fields.set(key, this.#read());
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#fault(words.jsonObjectEnd);
    return { kind: "object", fields };
  }

  #array(): Json {
    const items: Json[] = [];
    if (this.#take("]")) return { kind: "array", items };
    do items.push(this.#read());
    while (this.#take(","));
    if (!this.#take("]")) throw this.#fault(words.jsonArrayEnd);
    return { kind: "array", items };
  }

  /** From its quote on. */
  #string(): string {
    const start = this.#at;
    let end = start + 1;
    for (;;) {
      const character = this.#text[end];
      if (character === undefined || character === "\n") throw new Fault(words.jsonStringEnd, start);
      if (character === '"') break;
      if (character < " ") throw new Fault(words.jsonControl, end);
      end += character === "\\" ? this.#escapeLength(end) : 1;
    }
    this.#at = end + 1;
    return this.#text
      .slice(start + 1, end)
      .replace(/\\(?:u(.{4})|(.))/g, (_, code: string | undefined, letter: string | undefined) =>
        code === undefined ? (simpleEscapes[letter ?? ""] ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
      );
  }

  #escapeLength(at: number): number {
    const letter = this.#text[at + 1] ?? "";
    if (Object.hasOwn(simpleEscapes, letter)) return 2;
    if (letter === "u" && /^[0-9a-fA-F]{4}$/.test(this.#text.slice(at + 2, at + 6))) return 6;
    throw new Fault(words.jsonEscape, at);
  }

  #word(): Json {
    const [word = ""] = /[^\s,:{}[\]"]*/y.exec(this.#text.slice(this.#at, this.#at + maxWordChars)) ?? [];
    const start = this.#at;
    this.#at += word.length;
    if (word === "null") return jsonNull;
    if (word === "true" || word === "false") return jsonBoolean(word === "true");
    if (isNumberText(word)) return { kind: "number", text: word };
    throw new Fault(word === "" ? words.jsonValue : fill(words.jsonWord, { word: word.slice(0, 40) }), start);
  }

  #take(character: string): boolean {
    const isThere = this.#peek() === character;
    if (isThere) this.#at += 1;
    return isThere;
  }

  /** The next character that is no space. */
  #peek(): string | undefined {
    while (this.#at < this.#text.length && " \n\r\t".includes(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text[this.#at];
  }

  #fault(message: string): Fault {
    return new Fault(message, this.#at);
  }
}

const maxWordChars = 1_000;

/** Without `indent` on one line. A draft stands as it was written. */
export function renderJson(value: Json, indent = 0, level = 0): string {
  switch (value.kind) {
    case "null":
      return "null";
    case "boolean":
      return String(value.value);
    case "number":
    case "draft":
      return value.text;
    case "string":
      return JSON.stringify(value.text);
    case "array":
      return renderMany(
        "[]",
        value.items.map((item) => renderJson(item, indent, level + 1)),
        indent,
        level,
      );
    case "object": {
      const space = indent === 0 ? "" : " ";
      const fields = [...value.fields].map(
        ([key, field]) => `${JSON.stringify(key)}:${space}${renderJson(field, indent, level + 1)}`,
      );
      return renderMany("{}", fields, indent, level);
    }
  }
}

function renderMany(brackets: string, parts: readonly string[], indent: number, level: number): string {
  const open = brackets.charAt(0);
  const close = brackets.charAt(1);
  if (parts.length === 0) return brackets;
  if (indent === 0) return `${open}${parts.join(",")}${close}`;
  const inner = `\n${" ".repeat(indent * (level + 1))}`;
  return `${open}${inner}${parts.join(`,${inner}`)}\n${" ".repeat(indent * level)}${close}`;
}

/** Of what was parsed before, such as a default in a schema. What JSON has no word for becomes null. */
export function toJson(value: unknown, depth = 0): Json {
  if (typeof value === "string") return jsonString(value);
  if (typeof value === "boolean") return jsonBoolean(value);
  if (typeof value === "number" && Number.isFinite(value)) return { kind: "number", text: JSON.stringify(value) };
  if (typeof value !== "object" || value === null || depth > maxJsonDepth) return jsonNull;
  if (Array.isArray(value)) return jsonArray(value.map((item) => toJson(item, depth + 1)));
  return jsonObject(Object.entries(value).map(([key, field]) => [key, toJson(field, depth + 1)]));
}

/** Whether a part of it does not parse. */
export function hasDraft(value: Json): boolean {
  if (value.kind === "array") return value.items.some(hasDraft);
  if (value.kind === "object") return [...value.fields.values()].some(hasDraft);
  return value.kind === "draft";
}

/** Equal as JSON; numbers by their value where it is exact. */
export function isSameJson(one: Json, other: Json): boolean {
  if (one.kind === "object" && other.kind === "object") {
    if (one.fields.size !== other.fields.size) return false;
    return [...one.fields].every(([key, field]) => {
      const found = other.fields.get(key);
      return found !== undefined && isSameJson(field, found);
    });
  }
  if (one.kind === "array" && other.kind === "array") {
    if (one.items.length !== other.items.length) return false;
    return one.items.every((item, index) => isSameJson(item, other.items[index] ?? jsonNull));
  }
  if (one.kind === "number" && other.kind === "number") {
    return (
      one.text === other.text || (isExact(one.text) && isExact(other.text) && Number(one.text) === Number(other.text))
    );
  }
  return one.kind === other.kind && renderJson(one) === renderJson(other);
}

/** Whether a reader that takes numbers as floats of 64 bits, as most do, keeps all its digits. */
export function isExact(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(text);
}

/** Significant digits with where the point stands, as one form for all spellings of a number. */
function digitsOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
