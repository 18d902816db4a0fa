// Somebody who follows resources of a gateway's management server, in either era, as it is on the wire: hears that one has
// changed, and reads it again where a test asks for that. It costs little, so that hundreds fit beside what they listen to.
import { Agent, request, type IncomingMessage } from "node:http";

export type Era = "2025" | "2026";

export interface SubscriberOptions {
  /** Of the gateway, without a path. */
  readonly url: string;
  readonly token: string;
  readonly era: Era;
  readonly uris: readonly string[];
  /** Goes on with a session of the 2025 era in place of opening one and subscribing. */
  readonly sessionId?: string;
  /** Called for each change, before the resource is read. */
  readonly onHeard?: (uri: string) => void;
  /** Whether each change is followed by a read; changes meanwhile by one more. */
  readonly readsAgain?: boolean;
  /** Rests for so long after each piece that it takes from its stream. */
  readonly restMs?: number;
}

export interface Subscriber {
  readonly era: Era;
  /** Of the 2025 era. */
  readonly sessionId: string;
  /** How often it has heard of each. */
  readonly heard: ReadonlyMap<string, number>;
  /** The text of each as it was read last. */
  readonly texts: ReadonlyMap<string, string>;
  readonly isOpen: () => boolean;
  read(uri: string): Promise<string>;
  close(): void;
}

const bothTypes = { accept: "application/json, text/event-stream", "content-type": "application/json" };
const timeoutMs = 60_000;
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Resolves once it hears of changes. */
export async function openSubscriber(options: SubscriberOptions): Promise<Subscriber> {
  const { url, token, era, uris, onHeard, readsAgain = false, restMs = 0 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const own: Record<string, string> = { ...bothTypes, authorization: `Bearer ${token}` };
  const heard = new Map<string, number>();
  const texts = new Map<string, string>();
  const reading = new Map<string, "once" | "again">();
  let isOpen = true;

  const call = async (method: string, params: Record<string, unknown>): Promise<Answer> => {
    const headers = era === "2026" ? { ...own, ...renderHeaders(method, params) } : own;
    const sent = era === "2026" ? { ...params, _meta } : params;
    return await post(url, { agent, headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: sent }) });
  };
  const read = async (uri: string): Promise<string> => {
    const { text } = await call("resources/read", { uri });
    const body = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
    const found: unknown = JSON.parse(body).result?.contents?.[0]?.text;
    if (typeof found !== "string") throw new Error(`expected the text of ${uri}, found ${text}`);
    texts.set(uri, found);
    return found;
  };
  const readAgain = async (uri: string): Promise<void> => {
    if (reading.has(uri)) {
      reading.set(uri, "again");
      return;
    }
    do {
      reading.set(uri, "once");
      await read(uri);
    } while (reading.get(uri) === "again");
    reading.delete(uri);
  };
  const onMessage = (uri: string) => {
    heard.set(uri, (heard.get(uri) ?? 0) + 1);
    onHeard?.(uri);
    // A gateway that is being replaced answers nobody; who hears of it there reads from the next one.
    if (readsAgain) readAgain(uri).catch(() => reading.delete(uri));
  };
  let sessionId = options.sessionId ?? "";
  if (era === "2025") {
    Object.assign(own, { "mcp-protocol-version": "2025-11-25" });
    if (sessionId === "") sessionId = await openSession(call);
    Object.assign(own, { "mcp-session-id": sessionId });
    if (options.sessionId === undefined) for (const uri of uris) await call("resources/subscribe", { uri });
  }
  const stream = await openStream(url, era, { headers: own, uris });
  stream.on("close", () => (isOpen = false));
  void takeAll(stream, { restMs, onMessage });
  return {
    era,
    sessionId,
    heard,
    texts,
    isOpen: () => isOpen,
    read,
    close() {
      stream.destroy();
      agent.destroy();
    },
  };
}

const renderHeaders = (method: string, { uri }: Record<string, unknown>): Record<string, string> => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(typeof uri === "string" && { "mcp-name": uri }),
});

async function openSession(call: (method: string, params: Record<string, unknown>) => Promise<Answer>) {
  const clientInfo = { name: "subscriber", version: "1.0.0" };
  const { sessionId } = await call("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  if (sessionId === undefined) throw new Error("expected a session, found none");
  return sessionId;
}

interface StreamOptions {
  headers: Record<string, string>;
  uris: readonly string[];
}

/** The stream of changes: that of the session, or that of the subscriptions it is asked for. */
async function openStream(url: string, era: Era, { headers, uris }: StreamOptions): Promise<IncomingMessage> {
  const params = { notifications: { resourceSubscriptions: uris }, _meta };
  const method = "subscriptions/listen";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method, params });
  const stream =
    era === "2025"
      ? await send(url, { method: "GET", headers: { ...headers, accept: "text/event-stream" } })
      : await send(url, { method: "POST", headers: { ...headers, ...renderHeaders(method, {}) }, body });
  if (stream.statusCode !== 200) throw new Error(`expected a stream of changes, found ${stream.statusCode}`);
  return stream;
}

/** Ends without a word when the stream does. */
async function takeAll(
  stream: IncomingMessage,
  { restMs, onMessage }: { restMs: number; onMessage: (uri: string) => void },
): Promise<void> {
  const updated = /"method":"notifications\/resources\/updated".*?"uri":"([^"]+)"/;
  let rest = "";
  try {
    for await (const piece of stream.setEncoding("utf8")) {
      const lines = (rest + String(piece)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [, uri] = line.startsWith("data: ") ? (updated.exec(line) ?? []) : [];
        if (uri !== undefined) onMessage(uri);
      }
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  } catch {
    // The gateway has ended, or this subscriber has.
  }
}

interface Sent {
  method: string;
  headers: Record<string, string>;
  agent?: Agent;
  body?: string;
}

function send(url: string, { method, headers, agent, body }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp`, { method, headers, agent: agent ?? false });
    sent.on("response", resolve).on("error", reject).end(body);
  });
}

interface Answer {
  text: string;
  sessionId: string | undefined;
}

async function post(url: string, sent: { agent: Agent; headers: Record<string, string>; body: string }) {
  const response = await send(url, { ...sent, method: "POST" });
  response.setTimeout(timeoutMs, () => response.destroy(new Error(`expected an answer within ${timeoutMs} ms`)));
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += String(piece);
  const { statusCode = 0 } = response;
  if (statusCode >= 300 || text.includes('"error":{')) {
    throw new Error(`expected an answer, found ${statusCode} ${text}`);
  }
  const id = response.headers["mcp-session-id"];
  return { text, sessionId: typeof id === "string" ? id : undefined };
}
