// Which of the agent's conversations is one that was begun here: the agent names it with its first answer only, its list sooner. Told by its
// first words and when it began; where two could be meant, none is. Pure.
import type { ShownConversation } from "../../../data/conversations.ts";

export interface BegunConversation {
  /** Its first message. */
  readonly text: string;
  /** When that was sent, by the server's clock. */
  readonly at: number;
}

/** The page knows the server's clock no better. */
const slackMs = 5_000;

/** @param taken ids that other conversations of the page have */
export function findBegun(
  { text, at }: BegunConversation,
  list: readonly ShownConversation[],
  taken: ReadonlySet<string>,
): string | undefined {
  const fitting = list.filter(
    ({ session_id, title, begun_at }) =>
      session_id !== null &&
      !taken.has(session_id) &&
      Date.parse(begun_at ?? "") >= at - slackMs &&
      isTitleOf(title, text),
  );
  const [only, more] = fitting;
  return more === undefined ? (only?.session_id ?? undefined) : undefined;
}

/** Titles are one line, without what hides or turns text around, and end with … where there is more. */
const plain = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{Bidi_Control}/gu, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();

function isTitleOf(title: string, text: string): boolean {
  const line = plain(text);
  return title === line || (title.length > 1 && title.endsWith("…") && line.startsWith(title.slice(0, -1)));
}
