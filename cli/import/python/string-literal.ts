// The text that a Python string literal stands for: prefixes, escapes, line continuations. Bytes are no text, and
// \N{…} would need the table of character names: both are refused.

const literal = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/;
const escape = /\\(\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g;
const simple: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

export interface Quoted {
  /** Lower case: r, f, b, u and their mixtures. */
  prefix: string;
  quote: string;
  body: string;
}

export function splitLiteral(source: string): Quoted | undefined {
  const [, prefix = "", quote = "", body = ""] = literal.exec(source) ?? [];
  return quote === "" ? undefined : { prefix: prefix.toLowerCase(), quote, body };
}

/** The text between the quotes; undefined for bytes and for characters by name. */
export function decodeBody(body: string, prefix: string): string | undefined {
  if (prefix.includes("b")) return undefined;
  if (prefix.includes("r")) return body;
  if (/(?<!\\)(?:\\\\)*\\N\{/.test(body)) return undefined;
  return body.replaceAll(escape, (whole, found: string) => {
    const known = simple[found];
    if (known !== undefined) return known;
    if (/^[0-7]/.test(found)) return String.fromCodePoint(Number.parseInt(found, 8));
    const code = /^[xuU]([0-9a-fA-F]{2,})$/.exec(found)?.[1];
    if (code === undefined) return whole;
    const point = Number.parseInt(code, 16);
    return point > 0x10_ffff ? "\uFFFD" : String.fromCodePoint(point);
  });
}
