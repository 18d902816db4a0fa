import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { openConversation, type Conversation } from "./conversation.ts";

interface Call {
  method: string;
  params?: { name?: string; arguments?: Record<string, unknown> };
  id?: number | string;
}

/** An agent of the 2025 era only: it numbers what it is told in each session, and knows only sessions of its own. */
class OldAgent {
  readonly server: Server;
  sessions = new Map<string, string[]>();
  /** Of the calls, in order. */
  ids: unknown[] = [];
  /** What it calls the conversation, if it does. */
  names?: string;
  started = 0;

  constructor() {
    this.server = createServer((request, response) => void this.#respond(request, response));
  }

  async listen(port = 0): Promise<{ url: string; port: number }> {
    this.server.listen(port, "127.0.0.1");
    await once(this.server, "listening");
    onTestFinished(() => this.stop());
    const address = this.server.address();
    const bound = typeof address === "object" && address !== null ? address.port : 0;
    return { url: `http://127.0.0.1:${bound}/mcp`, port: bound };
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = parseCall(await (request.method === "POST" ? json(request) : undefined));
    const { status, session, body } = this.#answer(call, request);
    const headers = { "content-type": "application/json", ...(session === "" ? {} : { "mcp-session-id": session }) };
    response.writeHead(status, headers);
    response.end(body === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id: call.id, ...body }));
  }

  #answer({ method, params, id }: Call, { headers }: IncomingMessage) {
    const session = String(headers["mcp-session-id"] ?? "");
    if (method === "initialize") {
      const fresh = `s${(this.started += 1)}`;
      this.sessions.set(fresh, []);
      const serverInfo = { name: "old", version: "1" };
      const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
      return { status: 200, session: fresh, body: { result } };
    }
    if (id === undefined) return { status: 202, session: "", body: undefined };
    const told = this.sessions.get(session);
    if (session !== "" && told === undefined) {
      return { status: 404, session: "", body: { error: { code: -32_001, message: "no such session" } } };
    }
    if (method !== "tools/call" || told === undefined) {
      return { status: 200, session: "", body: { error: { code: -32_601, message: "not found" } } };
    }
    told.push(String(params?.arguments?.["message"]));
    this.ids.push(params?.arguments?.["session_id"]);
    const content = [{ type: "text", text: `${told.length}: ${told.at(-1)}` }];
    const meta = this.names === undefined ? {} : { _meta: { "ca.helu.pallas/session_id": this.names } };
    return { status: 200, session: "", body: { result: { content, ...meta } } };
  }
}

const parseCall = (body: unknown): Call => {
  const call: Call = { method: "", ...(typeof body === "object" ? body : {}) };
  return call;
};

interface Conversing {
  say(text: string): Promise<string>;
  conversation: Conversation;
  /** How often it was said that the agent has forgotten. */
  forgotten(): number;
}

function converse(url: string): Conversing {
  const agent = { name: "old", url };
  let forgotten = 0;
  const onForgotten = (): void => void (forgotten += 1);
  const common = { sessionId: undefined, token: undefined, clientVersion: "1" };
  const conversation = openConversation({ agent, ...common, onForgotten });
  onTestFinished(() => conversation.close());
  const { signal } = new AbortController();
  return {
    conversation,
    forgotten: () => forgotten,
    say: async (text) => (await conversation.send({ text, images: [] }, signal, () => undefined)).text,
  };
}

describe("CLI-4 a conversation with an agent of the 2025 era", () => {
  test("goes on in its session, until a new one is asked for; there is no history without its prompt", async () => {
    const agent = new OldAgent();
    const { say, conversation } = converse((await agent.listen()).url);
    expect([await say("a"), await say("b")]).toEqual(["1: a", "2: b"]);
    expect(await conversation.history(new AbortController().signal)).toEqual([]);
    await conversation.startAnew();
    expect(await say("c")).toBe("1: c");
  });

  test("goes on by the id that the agent names, until a new one is asked for", async () => {
    const agent = new OldAgent();
    agent.names = "k1";
    const { say, conversation } = converse((await agent.listen()).url);
    await say("a");
    expect(conversation.sessionId).toBe("k1");
    await say("b");
    await conversation.startAnew();
    expect(conversation.sessionId).toBeUndefined();
    await say("c");
    expect(agent.ids).toEqual([undefined, "k1", undefined]);
  });

  test("goes on in a new session when the agent has forgotten the old one, and that is said", async () => {
    const agent = new OldAgent();
    const { say, forgotten } = converse((await agent.listen()).url);
    await say("a");
    agent.sessions.clear();
    expect(await say("b")).toBe("1: b");
    expect(forgotten()).toBe(1);
    expect(agent.started).toBe(2);
  });

  test("fails while the agent is gone, and goes on when it is there again", async () => {
    const agent = new OldAgent();
    const { url, port } = await agent.listen();
    const { say, forgotten } = converse(url);
    await say("a");
    agent.stop();
    await expect(say("b")).rejects.toThrow(McpError);
    // It may have been heard: it is not sent once more.
    expect(forgotten()).toBe(0);
    await new OldAgent().listen(port);
    expect(await say("c")).toBe("1: c");
  });
});
