// The SDK's Streamable HTTP transport with what it leaves undone for calls: an answer that is none, and a stream cut before
// its result, fail the call at once instead of at its timeout; and a call cancelled in the 2025 era also closes its stream,
// which frees the socket and is what servers without sessions understand (AGT-8).
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import { isEventStream } from "../process/event-stream.ts";
import { findFormProblem } from "./answer-form.ts";
import { isJsonObject } from "./json-rpc.ts";
import { AnswerError, streamCut } from "./mcp-error.ts";
import { LimitedResponse } from "../outgoing/response-limit.ts";

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport["send"]>[1]>;
type Fetch = NonNullable<StreamableHTTPClientTransportOptions["fetch"]>;

const dropAfterMs = 500;
/** Tells the fetch which request it carries; it is never sent. */
const ticketHeader = "x-request-ticket";

/** A request that has had no answer yet. */
interface OpenRequest {
  method: string;
  controller: AbortController;
  /** Answers it in the server's place. */
  fail(message: string, data: unknown): void;
}

export class CallTransport extends StreamableHTTPClientTransport {
  readonly #open: Map<string, OpenRequest>;

  constructor(url: URL, options: StreamableHTTPClientTransportOptions & { fetch: Fetch }) {
    const open = new Map<string, OpenRequest>();
    super(url, { ...options, fetch: expectAnswers(options.fetch, open) });
    this.#open = open;
  }

  /** Hears of every message that arrived; what had been asked where it is an answer. The owner chains it before the SDK's handler. */
  noteReceived(message: JSONRPCMessage): string | undefined {
    if ("method" in message || message.id === undefined) return undefined;
    const asked = this.#open.get(String(message.id));
    this.#open.delete(String(message.id));
    return asked?.method;
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!("method" in message)) {
      await super.send(message, options);
    } else if ("id" in message) {
      await this.#sendRequest(message, options);
    } else {
      await this.#sendNotification(message, options);
    }
  }

  async #sendNotification(message: JSONRPCNotification, options?: SendOptions): Promise<void> {
    const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
    if (typeof cancelled !== "string" && typeof cancelled !== "number") {
      await super.send(message, options);
      return;
    }
    const drop = () => {
      this.#open.get(String(cancelled))?.controller.abort();
      this.#open.delete(String(cancelled));
    };
    // The server should hear of the cancellation before its stream goes, but it gets no more than this to do so.
    const timer = setTimeout(drop, dropAfterMs);
    try {
      await super.send(message, options);
    } finally {
      clearTimeout(timer);
      drop();
    }
  }

  async #sendRequest(message: JSONRPCRequest, options: SendOptions = {}): Promise<void> {
    const { id, method } = message;
    const ticket = String(id);
    const controller = new AbortController();
    const fail = (text: string, data: unknown) => {
      if (this.#open.delete(ticket)) {
        this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message: text, data } });
      }
    };
    this.#open.set(ticket, { method, controller, fail });
    const { requestSignal } = options;
    requestSignal?.addEventListener("abort", () => this.#open.delete(ticket), { once: true });
    try {
      await super.send(message, {
        ...options,
        headers: { ...options.headers, [ticketHeader]: ticket },
        requestSignal:
          requestSignal === undefined ? controller.signal : AbortSignal.any([requestSignal, controller.signal]),
        onRequestStreamEnd: () => {
          fail("the stream ended before the result", streamCut);
          options.onRequestStreamEnd?.();
        },
      });
    } catch (error) {
      this.#open.delete(ticket);
      throw error;
    }
  }
}

/** `fetch`, whose responses to open requests are answers or fail. The SDK would wait for another one, which HTTP does not have. */
function expectAnswers(fetch: Fetch, open: ReadonlyMap<string, OpenRequest>): Fetch {
  return async (target, init = {}) => {
    const headers = new Headers(init.headers);
    const ticket = headers.get(ticketHeader);
    headers.delete(ticketHeader);
    const response = await fetch(target, { ...init, headers });
    const asked = ticket === null ? undefined : open.get(ticket);
    return ticket === null || asked === undefined || !response.ok ? response : expectAnswer(response, ticket, asked);
  };
}

function expectAnswer(response: Response, ticket: string, asked: OpenRequest): Response {
  const problem = findFormProblem(response);
  if (problem !== undefined) {
    // The connection is of use again once the body is gone.
    response.body?.cancel().catch(() => undefined);
    throw new AnswerError(problem);
  }
  if (response instanceof LimitedResponse && isEventStream(response.headers)) {
    response.onExcess = (error) => {
      asked.fail(error.message, error);
      // Else the SDK would ask for the rest of the stream.
      asked.controller.abort();
    };
  }
  const read = response.json.bind(response);
  response.json = async () => pickAnswer(await read().catch(refuseSyntax), ticket);
  return response;
}

function refuseSyntax(error: unknown): never {
  if (error instanceof SyntaxError) throw new AnswerError("something that is not JSON", { cause: error });
  throw error;
}

/** What was sent, if it holds the answer; an error that names no request can only be about the one it came for. */
function pickAnswer(sent: unknown, ticket: string): unknown {
  const messages: unknown[] = Array.isArray(sent) ? sent : [sent];
  const isAnswer = (message: unknown) =>
    isJsonObject(message) && !("method" in message) && isNamed(message) && String(message["id"]) === ticket;
  if (messages.some(isAnswer)) return sent;
  const [only] = messages;
  if (messages.length !== 1 || !isJsonObject(only)) throw new AnswerError("something else than JSON-RPC");
  if (!isNamed(only) && isJsonObject(only["error"])) return { ...only, jsonrpc: "2.0", id: ticket };
  throw new AnswerError(isNamed(only) ? "the JSON-RPC answer to another request" : "a JSON-RPC answer without an id");
}

const isNamed = ({ id }: Record<string, unknown>) => typeof id === "string" || typeof id === "number";
