// The SDK's transport with what it leaves undone: a call whose answer's stream is cut ends at once, instead of at its deadline. There
// is nobody left who could answer it.
import { type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { connectWords as words } from "../words/connect.ts";
import { Problem } from "./problem.ts";

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport["send"]>[1]>;

/** What JSON-RPC leaves to servers; the data says what it is. */
const cutCode = -32_000;

export class CallTransport extends StreamableHTTPClientTransport {
  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    // A stream of changes hears of its end by itself.
    const isCall = "method" in message && "id" in message && options?.onRequestStreamEnd === undefined;
    if (!isCall) return await super.send(message, options);
    const { id } = message;
    // The client lets pass what comes for a call that has its answer.
    const onRequestStreamEnd = () => {
      const data = new Problem("unreachable", words.unreachable);
      this.onmessage?.({ jsonrpc: "2.0", id, error: { code: cutCode, message: data.message, data } });
    };
    return await super.send(message, { ...options, onRequestStreamEnd });
  }
}
