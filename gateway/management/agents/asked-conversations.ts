// The conversations that a person has with an agent, as the agent says: asked for each person by themselves, so that nobody is ever
// told of another's. Asked again while that person follows, and soon after a call of theirs began or ended.
import type { ConversationReport } from "../../../crds/conversations.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { createSettled } from "../../discovery/settled.ts";
import type { AdminClient } from "./admin-client.ts";
import { createAsked, type Answer } from "./asked.ts";

type Who = Pick<Identity, "subject">;

export interface AskedConversations {
  /** Never rejects. */
  get(agent: string, who: Who): Promise<Answer<ConversationReport>>;
  /** Calls `onChange` when an answer differs from the one before, until what it returns is called. */
  follow(agent: string, who: Who, onChange: () => void): () => void;
  /** A call of theirs to the agent begins, or is over. */
  note(agent: string, who: Who): void;
  close(): void;
}

export const conversationTimes = { keptMs: 500, everyMs: 5_000, timeoutMs: 3_000, maxAtOnce: 16 };
/** From the beginning or end of a call until the agent is asked: by then it has written down what it was told. */
export const settleMs = 250;

export function createAskedConversations({
  admin,
  clock,
}: {
  admin: Pick<AdminClient, "fetchConversations">;
  clock: Clock;
}): AskedConversations {
  const asked = createAsked({
    ask: (key, signal) => admin.fetchConversations(...parseKey(key), signal),
    ...conversationTimes,
    clock,
  });
  const settled = createSettled({ clock, settleMs, look: asked.refresh });
  return {
    get: (agent, who) => asked.get(renderKey(agent, who)),
    follow: (agent, who, onChange) => asked.follow(renderKey(agent, who), onChange),
    note(agent, who) {
      const key = renderKey(agent, who);
      asked.outdate(key);
      if (asked.isFollowed(key)) settled.note(key);
    },
    close() {
      settled.close();
      asked.close();
    },
  };
}

/** No name of an agent has a space in it. */
const renderKey = (agent: string, { subject }: Who): string => `${agent} ${subject}`;

function parseKey(key: string): [agent: string, subject: string] {
  const at = key.indexOf(" ");
  return [key.slice(0, at), key.slice(at + 1)];
}
