// The conversations that this page holds, for as long as somebody is signed in. At most three answers run at once, since a browser opens six
// connections to one host, and the page needs some of them; further messages wait their turn.
import type { ShownConversation } from "../../../data/conversations.ts";
import { OpenChat, type Chat, type ChatPage, type Scope } from "./open-chat.ts";
import { findBegun } from "./own-conversation.ts";
import { createSlots } from "./slots.ts";

export interface Chats {
  /** @param sessionId undefined: a conversation that has not begun, or one that has no name by the agent's scope */
  open(agent: string, sessionId: string | undefined, scope: Scope): Chat;
  /** Undefined where it was not opened. */
  find(agent: string, sessionId: string): Chat | undefined;
  /** A conversation that has not begun takes the place of the one that was begun. */
  startAnew(agent: string): Chat;
  /** What the agent says that it keeps: it names conversations sooner than their first answers do, and tells of what was said elsewhere. */
  learn(agent: string, list: readonly ShownConversation[]): void;
  /** Whether an answer is on its way, or waits for one that is: they end with the page. */
  isBusy(): boolean;
  clear(): void;
}

const maxRunning = 3;
const maxKept = 64;

export function createChats(page: ChatPage): Chats {
  const slots = createSlots(maxRunning);
  let chats: OpenChat[] = [];
  const add = (agent: string, sessionId: string | undefined, scope: Scope): OpenChat => {
    const chat = new OpenChat({ agent, sessionId, scope, page, slots });
    const idle = chats.find((each) => each.isIdle);
    if (chats.length >= maxKept && idle !== undefined) chats = chats.filter((each) => each !== idle);
    chats.push(chat);
    return chat;
  };
  const find = (agent: string, sessionId: string | undefined) =>
    chats.findLast((each) => each.agent === agent && each.sessionId.peek() === sessionId);
  return {
    open: (agent, sessionId, scope) => find(agent, sessionId) ?? add(agent, sessionId, scope),
    find,
    startAnew(agent) {
      chats = chats.filter((each) => each.agent !== agent || each.sessionId.peek() !== undefined || !each.isIdle);
      return add(agent, undefined, "connection");
    },
    learn(agent, list) {
      for (const chat of chats.filter((each) => each.agent === agent)) {
        const taken = new Set(chats.flatMap(({ sessionId }) => sessionId.peek() ?? []));
        const named = chat.begun === undefined ? undefined : findBegun(chat.begun, list, taken);
        if (named !== undefined) chat.name(named);
        const id = chat.sessionId.peek() ?? null;
        const listed = list.find(({ session_id }) => session_id === id);
        if (listed !== undefined) chat.hear(listed);
      }
    },
    isBusy: () => chats.some((each) => !each.isIdle),
    clear() {
      for (const chat of chats) chat.end();
      chats = [];
    },
  };
}
