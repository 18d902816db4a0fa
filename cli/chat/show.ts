// How answers and what was said before are shown: Markdown rendered for a terminal, plain text for a pipe.
import { styleText } from "node:util";
import type { PromptMessage } from "../../lib/mcp/table.ts";
import { plainText } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";
import { renderContent, type Answer } from "./conversation.ts";
import { renderMarkdown } from "./markdown.ts";

/** Messages of before that are shown at the start. */
const shownMessages = 6;
const maxShownChars = 2_000;

/** What a person says, in front of it. */
export const youPrompt = ({ out }: Pick<Terminal, "out">): string =>
  out.hasColour ? styleText("bold", "you> ", { validateStream: false }) : "you> ";

/** A text, or a part of one. */
export function showText(text: string, terminal: Terminal): void {
  const { out } = terminal;
  terminal.printStyled(out.isTerminal ? renderMarkdown(text, out) : plainText(text));
}

/** An error goes where errors go. */
export function showAnswer({ text, isError }: Answer, agent: string, terminal: Terminal): void {
  if (isError) terminal.complain(`${agent}: ${text}`);
  else showText(text, terminal);
}

/** The last messages, and how many there are before them. */
export function showHistory(messages: readonly PromptMessage[], terminal: Terminal): void {
  const last = messages.slice(-shownMessages);
  if (last.length === 0) return;
  if (messages.length > last.length) terminal.print(`… ${messages.length - last.length} messages before\n`);
  for (const { role, content } of last) {
    const whole = renderContent(content);
    const text = whole.length > maxShownChars ? `${whole.slice(0, maxShownChars)} …` : whole;
    if (role === "user") {
      terminal.printStyled(`${youPrompt(terminal)}${plainText(text)}`);
    } else {
      showText(text, terminal);
      terminal.printStyled("");
    }
  }
}
