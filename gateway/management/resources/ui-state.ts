// `resource://agents/{agent_id}/ui/state`: what the person who asks and the agent have said to each other last; never what somebody
// else said. The agent keeps it, and is asked for it. Of pictures and files only the kind is said.
import type { Conversation } from "../../../crds/conversations.ts";
import { historyPromptName } from "../../../crds/names.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { McpError } from "../../../lib/mcp/mcp-error.ts";
import type { CallContext, Content, PromptMessage } from "../../../lib/mcp/table.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { GatewayState } from "../../state/state.ts";
import { linkCaller, type AgentLinks } from "../agents/agent-links.ts";
import type { AskedConversations } from "../agents/asked-conversations.ts";
import { createAgentFamily } from "./agent-family.ts";
import { listReadable } from "./conversations.ts";

export const uiStatePath = "ui/state";
/** The latest ones. */
const maxMessages = "100";
const idleTimeoutMs = 10_000;

const renderContent = (content: Content) =>
  content.type === "text" ? { type: "text", text: content.text } : { type: content.type, left_out: true };

const renderMessage = ({ role, content }: PromptMessage) => ({ role, content: renderContent(content) });

export const createUiState = (state: GatewayState, links: AgentLinks, conversations: Pick<AskedConversations, "get">) =>
  createAgentFamily(state, {
    path: uiStatePath,
    name: "Conversation",
    description: "Your latest conversation with the agent.",
    isFor: ({ kind }) => kind === "person",
    async read({ metadata: { name } }, identity, context) {
      const answer = await conversations.get(name, identity);
      if (!answer.ok) return { agent_id: name, session_id: null, messages: [], message: answer.problem };
      const [latest] = listReadable(answer.value, identity);
      const told = { agent_id: name, session_id: latest?.sessionId ?? null };
      if (latest === undefined) return { ...told, messages: [] };
      return { ...told, ...(await readMessages(links, name, latest, identity, context)) };
    },
  });

async function readMessages(
  links: AgentLinks,
  agent: string,
  { sessionId }: Conversation,
  identity: Identity,
  { bearer, signal }: CallContext,
) {
  const lease = links.lease(agent, linkCaller(identity, bearer));
  if (lease === undefined) return { messages: [], message: "the agent cannot be reached now" };
  try {
    const args = { ...defined({ session_id: sessionId }), limit: maxMessages };
    const { messages } = await lease.link.use((connection) =>
      connection.getPrompt(historyPromptName(agent), args, { signal, idleTimeoutMs }),
    );
    return { messages: messages.map(renderMessage) };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { messages: [], message: error.tell() };
  } finally {
    lease.release();
  }
}
