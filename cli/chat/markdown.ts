// Markdown as lines for a terminal: what a person reads of headings, lists, code, tables and emphasis. The parser is
// marked's; a text that it cannot take, as one nested without end, is shown as it stands.
import { styleText } from "node:util";
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { plainText } from "../plain-text.ts";

export interface MarkdownScreen {
  columns: number;
  hasColour: boolean;
}

/** Beyond this the eye loses the line. */
const maxColumns = 100;
const minColumns = 20;
/** Longer texts are not parsed. */
const maxParsedChars = 1_000_000;

/** marked's type for tokens is open for those of its extensions, of which there are none here. */
const isKnown = (token: Token): token is MarkedToken => !("extension" in token);

type Style = Parameters<typeof styleText>[0];

/** The text as lines without a final line break. Control sequences in it are taken out. */
export function renderMarkdown(text: string, { columns, hasColour }: MarkdownScreen): string {
  const plain = plainText(text).trim();
  if (plain.length > maxParsedChars) return plain;
  const style = (format: Style, part: string): string =>
    hasColour ? styleText(format, part, { validateStream: false }) : part;
  const writer = new Writer(style, hasColour);
  try {
    return writer.blocks(lexer(plain), Math.max(minColumns, Math.min(columns, maxColumns)), true);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return plain;
  }
}

class Writer {
  readonly #style: (format: Style, part: string) => string;
  readonly #hasColour: boolean;

  constructor(style: (format: Style, part: string) => string, hasColour: boolean) {
    this.#style = style;
    this.#hasColour = hasColour;
  }

  blocks(tokens: readonly Token[], width: number, isLoose: boolean): string {
    return tokens
      .map((token) => (isKnown(token) ? this.#block(token, width) : token.raw))
      .filter((text) => text !== "")
      .join(isLoose ? "\n\n" : "\n");
  }

  #block(token: MarkedToken, width: number): string {
    switch (token.type) {
      case "heading":
        return this.#wrap(
          this.#style(token.depth === 1 ? ["bold", "underline"] : "bold", this.#inline(token.tokens)),
          width,
        );
      case "code":
        return indent(this.#style("cyan", token.text), "    ");
      case "blockquote":
        return indent(this.blocks(token.tokens, width - 2, true), this.#style("dim", "│ "));
      case "list":
        return this.#list(token, width);
      case "table":
        return this.#table(token, width);
      case "hr":
        return this.#style("dim", "─".repeat(Math.min(width, 40)));
      case "space":
      case "def":
      case "checkbox":
        return "";
      default:
        return this.#wrap(this.#inlineOne(token), width);
    }
  }

  #list({ ordered, start, items, loose }: Tokens.List, width: number): string {
    const first = start === "" ? 1 : start;
    const widest = ordered ? String(first + items.length - 1).length + 2 : 2;
    return items
      .map((item, index) => {
        const mark = ordered ? `${first + index}.`.padEnd(widest) : "• ";
        const box = item.task ? (item.checked ? "☑ " : "☐ ") : "";
        const body = this.blocks(item.tokens, Math.max(minColumns, width - widest - box.length), item.loose);
        return `${mark}${box}${indent(body, " ".repeat(widest + box.length)).trimStart()}`;
      })
      .join(loose ? "\n\n" : "\n");
  }

  /** Cells side by side where they fit; else each row as lines of `heading: cell`. */
  #table({ header, rows }: Tokens.Table, width: number): string {
    const titles = header.map((cell) => this.#inline(cell.tokens));
    const cells = rows.map((row) => row.map((cell) => this.#inline(cell.tokens)));
    const widths = titles.map((title, column) =>
      Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[column] ?? ""))),
    );
    if (widths.reduce((sum, each) => sum + each + 2, -2) > width) {
      const rowsAsLines = cells.map((row) => row.map((cell, column) => `${titles[column] ?? ""}: ${cell}`));
      return rowsAsLines.map((lines) => lines.map((line) => this.#wrap(line, width)).join("\n")).join("\n\n");
    }
    const line = (row: readonly string[]): string =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell)))
        .join("  ")
        .trimEnd();
    const rule = this.#style("dim", widths.map((each) => "─".repeat(each)).join("  "));
    return [this.#style("bold", line(titles)), rule, ...cells.map(line)].join("\n");
  }

  #inline(tokens: readonly Token[]): string {
    return tokens.map((token) => (isKnown(token) ? this.#inlineOne(token) : token.raw)).join("");
  }

  #inlineOne(token: MarkedToken): string {
    switch (token.type) {
      case "strong":
        return this.#style("bold", this.#inline(token.tokens));
      case "em":
        return this.#style("italic", this.#inline(token.tokens));
      case "del":
        return this.#style("strikethrough", this.#inline(token.tokens));
      case "codespan":
        return this.#hasColour ? this.#style("cyan", token.text) : `\`${token.text}\``;
      case "br":
        return "\n";
      case "image":
        return `[${token.text || "image"}](${token.href})`;
      case "link": {
        const text = this.#inline(token.tokens);
        // Where it leads is always shown: a text may say something else.
        return text === token.href || `mailto:${text}` === token.href
          ? this.#style("underline", text)
          : `${this.#style("underline", text)} (${token.href})`;
      }
      case "paragraph":
      case "text":
        return token.tokens === undefined ? unescaped(token.text) : this.#inline(token.tokens);
      default:
        return "text" in token && typeof token.text === "string" ? token.text : token.raw;
    }
  }

  /** Line breaks stay where models put them; a word that is too long, as a URL is, stays whole. */
  #wrap(text: string, width: number): string {
    return wrapAnsi(text, width);
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };
const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole);

const indent = (text: string, by: string): string =>
  text
    .split("\n")
    .map((line) => `${by}${line}`.trimEnd())
    .join("\n");
