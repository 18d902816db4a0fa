// Label sets of the text format: read with their escapes, and written again. Values stay as they were written between
// the quotes, so that reading and writing is exact and costs no unescaping.

export interface Label {
  readonly name: string;
  /** As written, escapes included. */
  readonly raw: string;
}

const namePatterns = { metric: /[a-zA-Z_:][a-zA-Z0-9_:]*/y, label: /[a-zA-Z_][a-zA-Z0-9_]*/y } as const;

/** Where the name that begins at `from` ends; `from` itself when none begins there. */
export function endOfName(text: string, from: number, kind: keyof typeof namePatterns): number {
  const pattern = namePatterns[kind];
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Reads `{a="x",b="y"}` that begins at `from`; a comma before the closing brace is allowed. Throws on anything else. */
export function parseLabels(line: string, from: number): { labels: Label[]; end: number } {
  const labels: Label[] = [];
  const names = new Set<string>();
  let at = skip(line, from + 1);
  while (line[at] !== "}") {
    const nameEnd = endOfName(line, at, "label");
    if (nameEnd === at) throw new Error("expected the name of a label");
    const name = line.slice(at, nameEnd);
    if (names.has(name)) throw new Error(`expected each label once, found "${name}" twice`);
    names.add(name);
    at = skip(line, nameEnd);
    if (line[at] !== "=") throw new Error(`expected = after the label "${name}"`);
    at = skip(line, at + 1);
    const end = endOfQuoted(line, at);
    labels.push({ name, raw: line.slice(at + 1, end - 1) });
    at = skip(line, end);
    if (line[at] === ",") at = skip(line, at + 1);
    else if (line[at] !== "}") throw new Error("expected a comma or a closing brace after a label");
  }
  return { labels, end: at + 1 };
}

/** Just behind the closing quote. */
function endOfQuoted(line: string, from: number): number {
  if (line[from] !== '"') throw new Error("expected a quoted label value");
  for (let at = from + 1; at < line.length; at += 1) {
    if (line[at] === '"') return at + 1;
    if (line[at] !== "\\") continue;
    at += 1;
    if (line[at] !== "\\" && line[at] !== '"' && line[at] !== "n") throw new Error('expected \\\\, \\" or \\n');
  }
  throw new Error("expected a closing quote");
}

function skip(line: string, from: number): number {
  let at = from;
  while (line[at] === " " || line[at] === "\t") at += 1;
  return at;
}

/** A value as it stands between quotes. */
export const escapeLabelValue = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

export const renderLabels = (labels: readonly Label[]): string =>
  labels.length === 0 ? "" : `{${renderPairs(labels)}}`;

/** Without the braces. */
export function renderPairs(labels: readonly Label[]): string {
  let text = "";
  for (const { name, raw } of labels) text += `${text === "" ? "" : ","}${name}="${raw}"`;
  return text;
}
