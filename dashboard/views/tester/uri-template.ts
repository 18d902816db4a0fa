// URI templates of resources (RFC 6570): which variables one has, and what it becomes when they are filled in. Lists and maps as values
// are not offered. Pure, and linear.

interface Expression {
  readonly operator: string;
  readonly variables: readonly { readonly name: string; readonly maxChars: number | undefined }[];
}

type Piece = { readonly text: string } | Expression;

const maxTemplateChars = 4_096;
const maxVariables = 64;

const rules: Readonly<
  Record<string, { first: string; between: string; isNamed: boolean; ifEmpty: string; keeps: boolean }>
> = {
  "": { first: "", between: ",", isNamed: false, ifEmpty: "", keeps: false },
  "+": { first: "", between: ",", isNamed: false, ifEmpty: "", keeps: true },
  "#": { first: "#", between: ",", isNamed: false, ifEmpty: "", keeps: true },
  ".": { first: ".", between: ".", isNamed: false, ifEmpty: "", keeps: false },
  "/": { first: "/", between: "/", isNamed: false, ifEmpty: "", keeps: false },
  ";": { first: ";", between: ";", isNamed: true, ifEmpty: "", keeps: false },
  "?": { first: "?", between: "&", isNamed: true, ifEmpty: "=", keeps: false },
  "&": { first: "&", between: "&", isNamed: true, ifEmpty: "=", keeps: false },
};

function parse(template: string): readonly Piece[] {
  return template
    .slice(0, maxTemplateChars)
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== "")
    .map((piece) => (piece.startsWith("{") && piece.endsWith("}") ? parseExpression(piece) : { text: piece }));
}

function parseExpression(piece: string): Piece {
  const [, operator = "", list = ""] = /^\{([+#./;?&]?)(.+)\}$/.exec(piece) ?? [];
  const variables = list.split(",").map((each) => {
    const [, name = "", chars] = /^([\w.%-]+)(?:\*|:(\d{1,4}))?$/.exec(each.trim()) ?? [];
    return { name, maxChars: chars === undefined ? undefined : Number(chars) };
  });
  // What is no expression is text.
  return variables.some(({ name }) => name === "") ? { text: piece } : { operator, variables };
}

/** In their order, each once. */
export function listVariables(template: string): readonly string[] {
  const names = parse(template).flatMap((piece) => ("text" in piece ? [] : piece.variables.map(({ name }) => name)));
  return [...new Set(names)].slice(0, maxVariables);
}

/** Variables without a value are left out, as the standard has it. */
export function expandTemplate(template: string, values: ReadonlyMap<string, string>): string {
  return parse(template)
    .map((piece) => ("text" in piece ? piece.text : expand(piece, values)))
    .join("");
}

function expand({ operator, variables }: Expression, values: ReadonlyMap<string, string>): string {
  const rule = rules[operator];
  if (rule === undefined) return "";
  const parts = variables.flatMap(({ name, maxChars }) => {
    const value = values.get(name);
    if (value === undefined) return [];
    const encoded = encode([...value].slice(0, maxChars).join(""), rule.keeps);
    if (!rule.isNamed) return [encoded];
    return [encoded === "" ? `${name}${rule.ifEmpty}` : `${name}=${encoded}`];
  });
  return parts.length === 0 ? "" : `${rule.first}${parts.join(rule.between)}`;
}

function encode(text: string, keepsReserved: boolean): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (keepsReserved) {
    return encodeURI(whole)
      .replace(/%5B/g, "[")
      .replace(/%5D/g, "]")
      .replace(/%25([0-9A-Fa-f]{2})/g, "%$1");
  }
  return encodeURIComponent(whole).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
