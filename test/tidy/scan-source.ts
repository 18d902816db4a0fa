/**
 * Reads TypeScript just well enough for the tidy test: blanks comments and texts, and lists import specifiers.
 * It relies on formatted code: a statement starts at the start of its line.
 */

const comment = /(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/)/;
const quoted = /(?<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/;
const regex = /(?<regex>\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*)/;
const token = new RegExp([comment, quoted, regex, /[\w$]+/, /[^]/].map(({ source }) => source).join("|"), "y");
const templatePart = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?<end>`|\$\{|$)/y;
const wordBeforeRegex = /^(?:return|typeof|case|in|of|await|throw|void|new|else|do)$/;
const signBeforeRegex = /^[^\w$)\]}"'`/]?$/;

/** The same text with comments and the insides of texts, templates and regular expressions as spaces; lines stay in place. */
export function blankTexts(source: string): string {
  let code = "";
  // For each open `${`: how many braces are open inside it.
  const templates: number[] = [];
  let previous = "";
  const readTemplate = () => {
    const { text, end } = matchAt(templatePart, source, code.length);
    code += blank(text.slice(0, text.length - (end ?? "").length)) + (end ?? "");
    if (end === "${") templates.push(0);
    previous = end === "${" ? "{" : "`";
  };
  while (code.length < source.length) {
    const found = matchAt(token, source, code.length);
    const { text } = found;
    if (found.comment !== undefined) {
      code += blank(text);
    } else if (found.quoted !== undefined) {
      code += text.charAt(0) + blank(text.slice(1, -1)) + text.charAt(0);
      previous = '"';
    } else if (found.regex !== undefined) {
      const isRegex = signBeforeRegex.test(previous) || wordBeforeRegex.test(previous);
      code += isRegex ? blank(text) : "/";
      previous = "/";
    } else {
      code += text;
      if (text.trim() !== "") previous = text;
      if (text === "`" || isTemplateResumed(text, templates)) readTemplate();
    }
  }
  return code;
}

/** Follows braces inside `${…}`; true when `text` is the brace that leads back into the template. */
function isTemplateResumed(text: string, templates: number[]): boolean {
  const depth = templates.at(-1);
  if (depth === undefined || (text !== "{" && text !== "}")) return false;
  templates.pop();
  if (text === "}" && depth === 0) return true;
  templates.push(depth + (text === "{" ? 1 : -1));
  return false;
}

type Match = Partial<Record<"comment" | "quoted" | "regex" | "end", string>> & { text: string };

function matchAt(pattern: RegExp, source: string, at: number): Match {
  pattern.lastIndex = at;
  const found = pattern.exec(source);
  return { ...found?.groups, text: found?.[0] ?? source.slice(at) };
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

export interface FoundImport {
  specifier: string;
  typeOnly: boolean;
}

/** Every static import, re-export and import() of a literal. */
export function findImports(source: string): FoundImport[] {
  const code = blankTexts(source);
  const beginnings =
    /^(?:import|export)(?<type> type)?\b[^;"'()=]*?\bfrom\s*(?=["'])|^import\s*(?=["'])|\bimport\s*\(\s*(?=["'])/gm;
  return [...code.matchAll(beginnings)].map((start) => {
    const specifierAt = start.index + start[0].length + 1;
    const specifier = source.slice(specifierAt, code.indexOf(source.charAt(specifierAt - 1), specifierAt));
    return { specifier, typeOnly: start.groups?.["type"] !== undefined };
  });
}
