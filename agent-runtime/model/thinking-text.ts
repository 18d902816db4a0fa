// Thinking that a server without a parser for it leaves in the text: a block in tags at the beginning, or all before an end tag
// where the prompt's template held the start tag. It is no part of the answer. Tags in the middle of an answer are text.

const start = "<think>";
const end = "</think>";

/** The answer without the thinking before it. */
export function withoutThinking(text: string): string {
  const from = text.trimStart();
  if (from.startsWith(start)) {
    const at = from.indexOf(end);
    // Never ended: the limit came first, and there is no answer.
    return at === -1 ? "" : withoutThinking(from.slice(at + end.length).trimStart());
  }
  const at = text.indexOf(`\n${end}`);
  const first = text.indexOf(start);
  const isWhole =
    at !== -1 && (first === -1 || first > at) && /^\s*(\n|$)/.test(text.slice(at + 1 + end.length, at + 40));
  return isWhole ? text.slice(at + 1 + end.length).trimStart() : text;
}
