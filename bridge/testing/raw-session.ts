// A client of the 2025 era for tests of a bridge: plain requests, so that every message on the wire can be seen.
import { onTestFinished } from "vitest";
import * as z from "zod";

const messageSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
export type WireMessage = z.output<typeof messageSchema>;

const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };

export class RawSession {
  readonly url: string;
  readonly id: string;
  readonly initialized: WireMessage;
  #lastId = 0;

  constructor(url: string, id: string, initialized: WireMessage) {
    this.url = url;
    this.id = id;
    this.initialized = initialized;
  }

  async post(message: object, signal?: AbortSignal): Promise<Response> {
    return await fetch(this.url, {
      method: "POST",
      headers: { ...headers, "mcp-session-id": this.id },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      ...(signal && { signal }),
    });
  }

  /** All messages of the answer, the last of which is the result. */
  async request(
    method: string,
    params: object = {},
    id: string | number = (this.#lastId += 1),
  ): Promise<WireMessage[]> {
    return await readWire(await this.post({ id, method, params }));
  }

  /** The answer to a call of a tool. */
  async call(name: string, args: object = {}, meta?: object): Promise<WireMessage> {
    const messages = await this.request("tools/call", { name, arguments: args, ...(meta && { _meta: meta }) });
    const last = messages.at(-1);
    if (last === undefined) throw new Error(`expected an answer to ${name}, found none`);
    return last;
  }

  /** What the tool said, which the tests' server writes as JSON. */
  async say(name: string, args: object = {}): Promise<unknown> {
    return parseSaid(await this.call(name, args));
  }

  async end(): Promise<Response> {
    return await fetch(this.url, { method: "DELETE", headers: { "mcp-session-id": this.id } });
  }

  async listen(signal?: AbortSignal): Promise<AsyncGenerator<WireMessage>> {
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const signals = [controller.signal, ...(signal ? [signal] : [])];
    const response = await fetch(this.url, {
      headers: { accept: "text/event-stream", "mcp-session-id": this.id },
      signal: AbortSignal.any(signals),
    });
    if (!response.ok) throw new Error(`listening was answered with ${response.status}: ${await response.text()}`);
    return readEvents(response);
  }
}

const contentSchema = z.object({ content: z.tuple([z.object({ text: z.string() })]) });

export function parseSaid({ result }: WireMessage): unknown {
  return JSON.parse(contentSchema.parse(result).content[0].text);
}

export async function tryOpenSession(url: string, capabilities: object = {}): Promise<Response> {
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "raw", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: "first", method: "initialize", params });
  return await fetch(url, { method: "POST", headers, body });
}

export async function openRawSession(url: string, capabilities: object = {}): Promise<RawSession> {
  const response = await tryOpenSession(url, capabilities);
  const [initialized] = await readWire(response);
  const id = response.headers.get("mcp-session-id");
  if (!response.ok || id === null || initialized === undefined) {
    throw new Error(`initialize was answered with ${response.status}: ${JSON.stringify(initialized)}`);
  }
  const session = new RawSession(url, id, initialized);
  await session.post({ method: "notifications/initialized" });
  return session;
}

async function readWire(response: Response): Promise<WireMessage[]> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    return [messageSchema.parse(await response.json())];
  }
  const messages: WireMessage[] = [];
  for await (const message of readEvents(response)) messages.push(message);
  return messages;
}

/** The messages of a stream as they come. */
export async function* readEvents(response: Response): AsyncGenerator<WireMessage> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: ")) yield messageSchema.parse(JSON.parse(line.slice("data: ".length)));
    }
  }
}
