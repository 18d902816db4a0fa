// The text that a Python string literal stands for: prefixes, escapes, line continuations. Bytes are no text, and
// \N{…} would need the table of character names: both are refused.

const literal = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/;
const escape = /\\(\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g;
const simple: Readonly<Record<string, string>> = {
  ...{ "\n": "", "\\": "\\", "'": "'", '"': '"', a: "\u0007", b: "\b" },
  ...{ f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};

/** Undefined for what is no text, and for characters by name. */
export function decodeLiteral(source: string): string | undefined {
  const [, prefix = "", , body] = literal.exec(source) ?? [];
  if (body === undefined || /b/i.test(prefix)) return undefined;
  if (/r/i.test(prefix)) return body;
  let hasNames = false;
  const text = body.replaceAll(escape, (whole, found: string) => {
    hasNames ||= found === "N";
    const known = simple[found];
    if (known !== undefined) return known;
    if (/^[0-7]/.test(found)) return String.fromCodePoint(Number.parseInt(found, 8));
    const code = /^[xuU]([0-9a-fA-F]{2,})$/.exec(found)?.[1];
    if (code === undefined) return whole;
    const point = Number.parseInt(code, 16);
    return point > 0x10_ffff ? "\uFFFD" : String.fromCodePoint(point);
  });
  return hasNames ? undefined : text;
}
