// What `pallas search` found, wherever it looked, and how it is shown.
import { fitWidth } from "../fit-width.ts";
import type { Terminal } from "../terminal.ts";
import { plainLine } from "../plain-text.ts";

export interface SearchAnswer {
  /** How sure the first is: high, medium, low or none. */
  readonly confidence: string;
  /** What to do about no match. */
  readonly hint?: string;
  /** Best first; `score` is the probability, 0 to 1, that it is the tool that was meant. */
  readonly matches: readonly { readonly name: string; readonly score: number; readonly description: string }[];
}

const gap = 2;
/** Characters of a description, of which some are whole manuals. */
const maxDescription = 300;

/** A line for each match: its name, its score and as much of its description as there is room for. */
export function printAnswer({ confidence, hint, matches }: SearchAnswer, terminal: Terminal): void {
  if (matches.length === 0) {
    terminal.complain(`no tool was found${hint === undefined ? "" : `: ${hint}`}`);
    return;
  }
  const names = matches.map(({ name }) => plainLine(name));
  const width = Math.max(...names.map((name) => name.length));
  for (const [at, { score, description }] of matches.entries()) {
    const line = `${(names[at] ?? "").padEnd(width + gap)}${score.toFixed(2)}  ${plainLine(description.slice(0, maxDescription))}`;
    terminal.print(terminal.out.isTerminal ? fitWidth(line, terminal.out.columns) : line);
  }
  if (confidence === "low" || confidence === "none") {
    terminal.complain("none of these is likely; name the service, the action and the object");
  }
}
