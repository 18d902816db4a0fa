// `resource://agents/{agent_id}/ui/state`: what the person who asks and the agent have said to each other, as far as they talked
// through this gateway; never what somebody else said. The agent keeps it, and is asked for it. Of pictures and files only the
// kind is said.
import { historyPromptName } from "../../../crds/names.ts";
import { McpError } from "../../../lib/mcp/mcp-error.ts";
import type { Content, PromptMessage } from "../../../lib/mcp/table.ts";
import type { GatewayState } from "../../state/state.ts";
import { linkCaller, type AgentLinks } from "../agents/agent-links.ts";
import type { Conversations } from "../conversations.ts";
import { createAgentFamily } from "./agent-family.ts";

/** The latest ones. */
const maxMessages = "100";
const idleTimeoutMs = 10_000;

const renderContent = (content: Content) =>
  content.type === "text" ? { type: "text", text: content.text } : { type: content.type, left_out: true };

const renderMessage = ({ role, content }: PromptMessage) => ({ role, content: renderContent(content) });

export const createUiState = (state: GatewayState, links: AgentLinks, conversations: Conversations) =>
  createAgentFamily(state, {
    path: "ui/state",
    name: "Conversation",
    description: "Your latest conversation with the agent through this server.",
    isFor: ({ kind }) => kind === "person",
    async read({ metadata: { name } }, identity, { bearer, signal }) {
      const sessionId = conversations.find(identity, name);
      const told = { agent_id: name, session_id: sessionId ?? null };
      if (sessionId === undefined) return { ...told, messages: [] };
      const lease = links.lease(name, linkCaller(identity, bearer));
      if (lease === undefined) return { ...told, messages: [], message: "the agent cannot be reached now" };
      try {
        const args = { session_id: sessionId, limit: maxMessages };
        const { messages } = await lease.link.use((connection) =>
          connection.getPrompt(historyPromptName(name), args, { signal, idleTimeoutMs }),
        );
        return { ...told, messages: messages.map(renderMessage) };
      } catch (error) {
        if (!(error instanceof McpError)) throw error;
        return { ...told, messages: [], message: error.tell() };
      } finally {
        lease.release();
      }
    },
  });
