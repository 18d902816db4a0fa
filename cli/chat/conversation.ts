// One conversation with an agent over MCP: what was said goes on from message to message, by the session_id that the
// agent mints, or by the connection's own session with servers of the 2025 era. One message at a time.
import { historyPromptName, sessionIdMetaKey } from "../../crds/names.ts";
import { textDeltasMetaKey } from "../../crds/text-delta.ts";
import { connectMcp, type McpConnection } from "../../lib/mcp/connect.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { Content, Progress, PromptMessage } from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";
import type { MessageImage } from "./images.ts";

export interface Agent {
  name: string;
  url: string;
}

export interface Message {
  text: string;
  images: readonly MessageImage[];
}

export interface Answer {
  text: string;
  isError: boolean;
}

export interface Conversation {
  /** By which it can be gone on with later; undefined until the agent has named one. */
  readonly sessionId: string | undefined;
  /** @throws McpError */
  send(message: Message, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<Answer>;
  /** What was said before, oldest first; nothing where the agent keeps nothing. @throws McpError for an unknown session */
  history(signal: AbortSignal): Promise<PromptMessage[]>;
  /** Forgets what was said: the next message begins a new conversation. */
  startAnew(): Promise<void>;
  close(): Promise<void>;
}

const connectTimeoutMs = 10_000;
/** Agents send a sign of life every 15 s. */
const idleTimeoutMs = 120_000;

export interface ConversationOptions {
  agent: Agent;
  sessionId: string | undefined;
  /** Sent as a bearer token. */
  token: string | undefined;
  clientVersion: string;
  /** The agent no longer knows what was said; the next message begins a new conversation. */
  onForgotten(): void;
  /** Whether the answer is asked for as it is written; it then comes with the progress too. */
  sendsText?: boolean;
}

/** A connection that is made when it is needed, and anew when it is of no use any more. */
function openLink({ agent, token, clientVersion, onForgotten }: ConversationOptions) {
  let connection: McpConnection | undefined;
  const drop = async (): Promise<void> => {
    const dropped = connection;
    connection = undefined;
    await dropped?.close();
  };
  const connect = (signal: AbortSignal): Promise<McpConnection> =>
    connectMcp({
      url: agent.url,
      clientName: "pallas-chat",
      clientVersion,
      signal,
      connectTimeoutMs,
      ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
    });
  const use = async <T>(signal: AbortSignal, call: (connected: McpConnection) => Promise<T>): Promise<T> => {
    try {
      return await call((connection ??= await connect(signal)));
    } catch (error) {
      if (!(error instanceof McpError) || !["session-lost", "unreachable"].includes(error.kind)) throw error;
      await drop();
      if (error.kind === "unreachable") throw error;
      onForgotten();
      return await call((connection = await connect(signal)));
    }
  };
  return { use, drop };
}

/** Nothing is sent until the first message. */
export function openConversation(options: ConversationOptions): Conversation {
  const { agent } = options;
  const link = openLink(options);
  let { sessionId } = options;

  return {
    get sessionId() {
      return sessionId;
    },
    async send({ text, images }, signal, onProgress) {
      const args = {
        message: text,
        ...(images.length === 0 ? {} : { images: [...images] }),
        ...defined({ session_id: sessionId }),
      };
      const { content, isError, meta } = await link.use(signal, (connected) =>
        connected.callTool("send_message", args, {
          signal,
          idleTimeoutMs,
          onProgress,
          ...(options.sendsText === true && { meta: { [textDeltasMetaKey]: true } }),
        }),
      );
      const named: unknown = meta?.[sessionIdMetaKey];
      if (typeof named === "string") sessionId = named;
      return { text: content.map(renderContent).join("\n\n"), isError: isError === true };
    },
    async history(signal) {
      const args: Record<string, string> = sessionId === undefined ? {} : { session_id: sessionId };
      try {
        const { messages } = await link.use(signal, (connected) =>
          connected.getPrompt(historyPromptName(agent.name), args, { signal, idleTimeoutMs }),
        );
        return messages;
      } catch (error) {
        // Without a session there may be no prompt, or none for a conversation that has not begun.
        if (sessionId === undefined && error instanceof McpError && error.kind === "protocol") return [];
        throw error;
      }
    },
    async startAnew() {
      sessionId = undefined;
      await link.drop();
    },
    close: link.drop,
  };
}

/** What a person reads of it. */
export function renderContent(content: Content): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "image":
    case "audio":
      return `[${content.type} ${content.mimeType}]`;
    case "resource":
      return "text" in content.resource ? content.resource.text : `[${content.resource.uri}]`;
    case "resource_link":
      return `[${content.name}](${content.uri})`;
  }
}
