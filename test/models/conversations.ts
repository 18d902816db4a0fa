// Picks the reply to a request. Conversations are told apart by their first user message, so that several clients can
// go through the same script side by side. Remembers the newest conversations only.
import type { ServedRequest } from "./journal.ts";
import type { ScriptedConversations, ScriptedReply } from "./script.ts";

export type Script =
  | readonly ScriptedReply[]
  | ((request: ServedRequest, index: number) => ScriptedReply)
  | ScriptedConversations;

export const conversationLimit = 10_000;

const usedUp: ScriptedReply = { status: 400, body: { error: { message: "the script of the model mock is used up" } } };

export interface ReplyPicker {
  pick(request: ServedRequest): ScriptedReply;
  /** Appends to a script that is a list. */
  push(...replies: ScriptedReply[]): void;
}

/** A list is used up in order by all requests together; a call beyond it gets a 400 that says so. */
export function createReplyPicker(script: Script): ReplyPicker {
  if (typeof script === "function") {
    let index = 0;
    return { pick: (request) => script(request, index++), push: refusePush };
  }
  if ("conversations" in script) return { pick: createConversationPicker(script), push: refusePush };
  const queue = [...script];
  return { pick: () => queue.shift() ?? usedUp, push: (...replies) => void queue.push(...replies) };
}

function refusePush(): never {
  throw new Error("only a script that is a list of replies can be appended to");
}

function createConversationPicker({ conversations }: ScriptedConversations): ReplyPicker["pick"] {
  const positions = new Map<string, number>();
  return (request) => {
    const opening = firstUserText(request.body);
    const found = conversations.find(({ match }) => match === undefined || opening.includes(match));
    if (found === undefined) return { status: 400, body: { error: { message: "no conversation of the script fits" } } };
    const position = positions.get(opening) ?? 0;
    positions.delete(opening);
    positions.set(opening, position + 1);
    const [oldest] = positions.keys();
    if (positions.size > conversationLimit && oldest !== undefined) positions.delete(oldest);
    return found.replies[found.repeat === true ? position % found.replies.length : position] ?? usedUp;
  };
}

/** Text of the first user message in the body of any of the APIs. */
export function firstUserText(body: unknown): string {
  const messages = get(body, "messages") ?? get(body, "input") ?? get(body, "contents");
  if (typeof messages === "string") return messages;
  if (!Array.isArray(messages)) return "";
  const first = messages.find((message) => get(message, "role") === "user");
  const content = get(first, "content") ?? get(first, "parts");
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => get(part, "text"))
    .filter((text) => typeof text === "string")
    .join("\n");
}

const get = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
