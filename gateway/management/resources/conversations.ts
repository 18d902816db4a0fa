// `resource://agents/{agent_id}/conversations`: what the person who asks has talked about with the agent, the newest first, so that
// they can go on with it; never what somebody else did. The agent keeps it, and is asked for it.
import type { ConversationReport } from "../../../crds/conversations.ts";
import { requireRole, type Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import { effectiveScope } from "../../../plan/settings.ts";
import type { GatewayState } from "../../state/state.ts";
import type { AskedConversations } from "../agents/asked-conversations.ts";
import { createAgentFamily } from "./agent-family.ts";

export const conversationsPath = "conversations";

/** The one that all callers share is for those who may call. */
export function listReadable({ scope, conversations }: ConversationReport, identity: Identity) {
  const isReadable = scope !== "shared" || requireRole(identity, "caller") === undefined;
  return isReadable ? conversations : [];
}

const renderConversations = (report: ConversationReport, identity: Identity) =>
  listReadable(report, identity).map(({ sessionId, title, begunAt, lastAt, turns, answering }) => ({
    session_id: sessionId ?? null,
    title,
    begun_at: begunAt,
    last_at: lastAt,
    ...defined({ turns }),
    answering,
    ...(report.scope === "shared" && { shared: true }),
  }));

export const createConversationList = (
  state: Pick<GatewayState, "listAgents" | "getAgent" | "getInstance">,
  asked: Pick<AskedConversations, "get">,
) =>
  createAgentFamily(state, {
    path: conversationsPath,
    name: "Conversations",
    description: "Your own conversations with the agent, the newest first.",
    isFor: ({ kind }) => kind === "person",
    async read(agent, identity) {
      const agent_id = agent.metadata.name;
      const answer = await asked.get(agent_id, identity);
      if (answer.ok) {
        return { agent_id, scope: answer.value.scope, conversations: renderConversations(answer.value, identity) };
      }
      const instance = state.getInstance();
      const scope = instance && effectiveScope(agent, instance);
      return { agent_id, ...defined({ scope }), conversations: [], message: answer.problem };
    },
  });
