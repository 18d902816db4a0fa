// One call to the real API server, sent on as it came: same path, same headers, the client's own bearer token. Answers
// come back uncompressed, so that faults can cut lines.

import { Agent, request } from "node:https";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

import type { ApiRequest } from "./api-request.ts";

export interface Upstream {
  /** Resolves with the answer's head; its body is still to be read. Rejects when there is none. */
  send(request: ApiRequest, headers: IncomingHttpHeaders, body: Buffer, signal: AbortSignal): Promise<IncomingMessage>;
  close(): void;
}

/** Those that say something about one connection, or about the server's name. */
const dropped = new Set(["host", "connection", "keep-alive", "accept-encoding", "transfer-encoding", "content-length"]);

export function createUpstream({ url, ca }: { url: string; ca: Buffer }): Upstream {
  const agent = new Agent({ keepAlive: true, ca });
  return {
    send(call, incoming, body, signal) {
      const kept = Object.fromEntries(Object.entries(incoming).filter(([name]) => !dropped.has(name)));
      // Said by us: Node leaves it out of a DELETE, and the server then takes the body for the next request.
      const headers = body.length === 0 ? kept : { ...kept, "content-length": body.length };
      const target = call.query.size === 0 ? call.path : `${call.path}?${call.query}`;
      return new Promise((resolve, reject) => {
        const outgoing = request(`${url}${target}`, { method: call.method, headers, agent, signal }, resolve);
        outgoing.once("error", reject);
        outgoing.end(body.length === 0 ? undefined : body);
      });
    },
    close: () => agent.destroy(),
  };
}

/** Rejects past `maxBytes`. */
export async function readBody(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`expected a body of at most ${maxBytes} bytes, found more`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
