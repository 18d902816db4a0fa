// A scripted model server on loopback for tests: OpenAI chat completions and responses, Anthropic messages, and the
// model lists of both. It answers by script and remembers every request; it understands nothing.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { renderFrames, type Protocol, type ScriptedAnswer } from "./model-wire.ts";

export interface ScriptedReply extends ScriptedAnswer {
  /** Instead of an answer: an HTTP status other than 200, with `body` and `headers`. */
  status?: number;
  /** Objects are sent as JSON, strings as they are. Without `status`: a 200 that is no model's answer. */
  body?: unknown;
  headers?: Record<string, string>;
  delayMs?: number;
  /** The connection is cut after so many frames. */
  cutAfterFrames?: number;
  /** The answer ends in good order after so many frames, without the protocol's own end. */
  endAfterFrames?: number;
  /** Nothing more is sent after so many frames, and the connection stays open. */
  stallAfterFrames?: number;
  /** Sent after so many frames instead of the rest: an error in mid-stream, as the protocol writes it. */
  errorFrame?: { afterFrames: number; event?: string; data: unknown };
}

export interface ServedRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
}

export type Script = readonly ScriptedReply[] | ((request: ServedRequest, index: number) => ScriptedReply);

export interface ModelServer {
  /** Scheme, host and port: base URL for Anthropic. */
  origin: string;
  /** origin + /v1: base URL for OpenAI and compatible ones. */
  openaiUrl: string;
  /** Model calls, oldest first; the lists are in `listRequests`. */
  requests: ServedRequest[];
  listRequests: ServedRequest[];
  /** Appends to the script. */
  push(...replies: ScriptedReply[]): void;
  close(): Promise<void>;
}

const protocols: readonly (readonly [string, Protocol])[] = [
  ["/v1/chat/completions", "chat"],
  ["/v1/responses", "responses"],
  ["/v1/messages", "messages"],
];

/**
 * Starts a server on a free port. Replies are used up in order; a call beyond them gets a 400 that says so.
 * `models` is what the lists know: names, or Anthropic's facts by name. `lists` replaces the answer of the lists.
 */
export async function startModelServer(
  script: Script = [],
  options: { models?: Record<string, object>; lists?: ScriptedReply } = {},
): Promise<ModelServer> {
  const queue = typeof script === "function" ? [] : [...script];
  const requests: ServedRequest[] = [];
  const listRequests: ServedRequest[] = [];
  const closing = new AbortController();

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const served = await readRequest(request);
    const path = served.path.split("?")[0] ?? "";
    const protocol = protocols.find(([suffix]) => path.endsWith(suffix))?.[1];
    if (protocol === undefined) {
      listRequests.push(served);
      await sendList(response, path, options, closing.signal);
      return;
    }
    const index = requests.push(served) - 1;
    const scripted = typeof script === "function" ? script(served, index) : queue.shift();
    const reply = scripted ?? {
      status: 400,
      body: { error: { message: "the script of the model server is used up" } },
    };
    await sendReply(response, protocol, served, reply, closing.signal);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    openaiUrl: `${origin}/v1`,
    requests,
    listRequests,
    push: (...replies) => void queue.push(...replies),
    close: () => {
      closing.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<ServedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
}

async function sendReply(
  response: ServerResponse,
  protocol: Protocol,
  request: ServedRequest,
  reply: ScriptedReply,
  closing: AbortSignal,
): Promise<void> {
  if (reply.delayMs !== undefined) await delay(reply.delayMs, undefined, { signal: closing });
  if (reply.status !== undefined || reply.body !== undefined) {
    sendBody(response, reply);
    return;
  }
  const model = Reflect.get(Object(request.body), "model");
  const frames = renderFrames(protocol, String(model), reply);
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  const { cutAfterFrames, endAfterFrames, stallAfterFrames, errorFrame } = reply;
  const end = cutAfterFrames ?? endAfterFrames ?? stallAfterFrames ?? errorFrame?.afterFrames ?? frames.length;
  for (const frame of frames.slice(0, end)) await write(response, frame);
  if (cutAfterFrames !== undefined) response.destroy();
  else if (errorFrame !== undefined) {
    const name = errorFrame.event === undefined ? "" : `event: ${errorFrame.event}\n`;
    response.end(`${name}data: ${JSON.stringify(errorFrame.data)}\n\n`);
  } else if (stallAfterFrames === undefined) response.end();
}

/** Resolves when the bytes left the process, so that a cut comes after them and not instead of them. */
const write = (response: ServerResponse, text: string) =>
  new Promise<void>((resolve) => response.write(text, () => resolve()));

function sendBody(response: ServerResponse, reply: ScriptedReply): void {
  const isText = typeof reply.body === "string";
  const contentType = isText ? "text/html" : "application/json";
  response.writeHead(reply.status ?? 200, { "content-type": contentType, ...reply.headers });
  response.end(isText ? reply.body : JSON.stringify(reply.body ?? {}));
}

async function sendList(
  response: ServerResponse,
  path: string,
  options: { models?: Record<string, object>; lists?: ScriptedReply },
  closing: AbortSignal,
): Promise<void> {
  const { models = {}, lists } = options;
  if (lists !== undefined) {
    if (lists.stallAfterFrames !== undefined) return;
    if (lists.delayMs !== undefined) await delay(lists.delayMs, undefined, { signal: closing });
    sendBody(response, lists);
    return;
  }
  const name = /\/v1\/models\/(.+)$/.exec(path)?.[1];
  const known = name === undefined ? undefined : models[decodeURIComponent(name)];
  if (path.endsWith("/v1/models")) {
    sendBody(response, { body: { object: "list", data: Object.keys(models).map((id) => ({ id, object: "model" })) } });
  } else if (known !== undefined) sendBody(response, { body: { type: "model", id: name, ...known } });
  else sendBody(response, { status: 404, body: { type: "error", error: { type: "not_found_error", message: path } } });
}
