/**
 * The SDK's Streamable HTTP transport with the two things it leaves undone for calls:
 * a stream cut before its result fails the call at once instead of at its timeout, and a call cancelled in the 2025 era also
 * closes its stream, which frees the socket and is what servers without sessions understand (AGT-8).
 */
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { streamCut } from "./mcp-error.ts";

type RequestId = string | number;
type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport["send"]>[1]>;

const dropAfterMs = 500;

export class CallTransport extends StreamableHTTPClientTransport {
  /** One entry for each request that has had no answer yet. */
  readonly #open = new Map<RequestId, AbortController>();

  /** Tells the transport of every message that arrived; the owner chains it before the SDK's own handler. */
  noteReceived(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) {
      this.#open.delete(message.id);
    }
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!("method" in message)) {
      await super.send(message, options);
    } else if ("id" in message) {
      await this.#sendRequest(message, message.id, options);
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
      this.#open.get(cancelled)?.abort();
      this.#open.delete(cancelled);
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

  async #sendRequest(message: JSONRPCMessage, id: RequestId, options: SendOptions = {}): Promise<void> {
    const controller = new AbortController();
    this.#open.set(id, controller);
    const { requestSignal } = options;
    requestSignal?.addEventListener("abort", () => this.#open.delete(id), { once: true });
    try {
      await super.send(message, {
        ...options,
        requestSignal:
          requestSignal === undefined ? controller.signal : AbortSignal.any([requestSignal, controller.signal]),
        onRequestStreamEnd: () => {
          if (this.#open.delete(id)) {
            const error = { code: -32_000, message: "the stream ended before the result", data: streamCut };
            this.onmessage?.({ jsonrpc: "2.0", id, error });
          }
          options.onRequestStreamEnd?.();
        },
      });
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }
}
