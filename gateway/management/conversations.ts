// Which conversation a person has with an agent, as far as it was begun here: the id that the agent gave it. In memory, by the
// person's subject, so that nobody is ever shown somebody else's; the one unused longest gives way.
import type { Identity } from "../../lib/auth/roles.ts";

export const maxConversations = 4_096;

export interface Conversations {
  /** The id of the latest one of this person with the agent. */
  find(identity: Identity, agent: string): string | undefined;
  keep(identity: Identity, agent: string, sessionId: string): void;
}

export function createConversations(): Conversations {
  const ids = new Map<string, string>();
  const keyOf = ({ subject }: Identity, agent: string) => JSON.stringify([subject, agent]);
  return {
    find: (identity, agent) => ids.get(keyOf(identity, agent)),
    keep(identity, agent, sessionId) {
      const key = keyOf(identity, agent);
      ids.delete(key);
      ids.set(key, sessionId);
      const [oldest] = ids.keys();
      if (ids.size > maxConversations && oldest !== undefined) ids.delete(oldest);
    },
  };
}
