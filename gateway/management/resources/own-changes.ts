// Resources that say something else to each person, and whose changes no watch tells of: followed for whoever subscribes to them, by
// what the agent says to them, and told to nobody else.
import type { Requester, ResourceChange, ResourceSource } from "../../../lib/mcp/table.ts";
import { identityOf } from "../access.ts";
import type { AskedConversations } from "../agents/asked-conversations.ts";
import { agentUri } from "./agent-family.ts";
import { conversationsPath } from "./conversations.ts";
import { parseKey } from "./family.ts";
import { uiStatePath } from "./ui-state.ts";

const templates = [conversationsPath, uiStatePath].map((path) => agentUri("{agent_id}", path));

/** The resources with those changes among theirs. */
export function withOwnChanges(
  source: ResourceSource,
  conversations: Pick<AskedConversations, "follow">,
): ResourceSource {
  const listeners = new Set<(change: ResourceChange) => void>();
  return {
    ...source,
    changes(onChange) {
      const stop = source.changes(onChange);
      const tell = (change: ResourceChange) => onChange(change);
      listeners.add(tell);
      return () => {
        listeners.delete(tell);
        stop();
      };
    },
    followOwn(uri, requester) {
      const agent = findAgent(uri);
      if (agent === undefined) return () => undefined;
      const identity = identityOf(requester);
      const isFor = (other: Requester) => identityOf(other).subject === identity.subject;
      return conversations.follow(agent, identity, () => listeners.forEach((tell) => tell({ uri, isFor })));
    },
  };
}

function findAgent(uri: string): string | undefined {
  for (const template of templates) {
    const agent = parseKey(template, uri);
    if (agent !== undefined) return agent;
  }
  return undefined;
}
