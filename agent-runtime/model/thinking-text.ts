// Thinking that a server without a parser for it leaves in the text: blocks in tags at the beginning, or all before an end tag
// where the prompt's template held the start tag. It is no part of the answer. Tags in the middle of an answer are text.

const start = "<think>";
const end = "</think>";

/** The answer without the thinking before it. */
export function withoutThinking(text: string): string {
  let from = skipSpace(text, 0);
  if (text.startsWith(start, from)) {
    while (text.startsWith(start, from)) {
      const at = text.indexOf(end, from);
      // Never ended: the limit came first, and there is no answer.
      if (at === -1) return "";
      from = skipSpace(text, at + end.length);
    }
    return text.slice(from);
  }
  const at = text.indexOf(`\n${end}`);
  const behind = at + 1 + end.length;
  const startsLater = !text.slice(0, Math.max(at, 0)).includes(start);
  const endsLine = /^[ \t]*(\r?\n|$)/.test(text.slice(behind, behind + 20));
  return at !== -1 && startsLater && endsLine ? text.slice(skipSpace(text, behind)) : text;
}

function skipSpace(text: string, from: number): number {
  const nonSpace = /\S/g;
  nonSpace.lastIndex = from;
  return nonSpace.exec(text)?.index ?? text.length;
}

export interface ThinkingFilter {
  /** What of the answer can be shown now. */
  push(piece: string): string;
  /** What is left when nothing more comes. */
  end(): string;
}

/** The same for a text that comes in pieces, as far as a tag at its beginning tells. */
export function createThinkingFilter(): ThinkingFilter {
  let state: "before" | "inside" | "answer" = "before";
  let held = "";
  return {
    push(piece) {
      if (state === "answer") return piece;
      held += piece;
      for (;;) {
        if (state === "inside") {
          const at = held.indexOf(end);
          held = at === -1 ? held.slice(1 - end.length) : held.slice(at + end.length);
          if (at === -1) return "";
          state = "before";
        }
        held = held.slice(skipSpace(held, 0));
        if (!held.startsWith(start)) break;
        held = held.slice(start.length);
        state = "inside";
      }
      if (start.startsWith(held)) return "";
      state = "answer";
      return held;
    },
    end: () => (state === "before" ? held : ""),
  };
}
