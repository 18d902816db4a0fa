// One request on its way to an agent and the answer on its way back, both as they come: nothing but what is small is gathered, a
// client that does not read holds the agent back, and either side's end is the other's. It bounds the body and the time to the answer's
// first byte; what passes, and to whom, is decided before.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { rpcCodes, type RpcFailure } from "../../lib/mcp/json-rpc.ts";
import { isUnreachable, type ForwardedAnswer, type Forwarder } from "../../lib/outgoing/forwarder.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { notReady } from "./find-agent.ts";
import { renderClientHeaders } from "./forwarded-headers.ts";
import type { WatchedMessage } from "./watched-message.ts";

/** `failed`: the agent answered with 5xx, or broke off. `aborted`: the client left, or its token ended. */
export type Outcome = "ok" | "refused" | "failed" | "unreachable" | "late" | "tooLarge" | "aborted";

export interface Exchange {
  url: URL;
  method: "GET" | "POST" | "DELETE";
  headers: Record<string, string>;
  /** Of a POST. */
  body: Readable | undefined;
  maxBodyBytes: number;
  firstByteTimeoutMs: number;
  /** Aborted when the client has gone or may not go on. */
  controller: AbortController;
  /** Cuts off an answer that cannot be ended well. */
  destroyAnswer: () => void;
  /** The agent that is asked, for sentences. */
  agent: string;
  watched: Pick<WatchedMessage, "body" | "answer">;
}

export interface ExchangeEnd {
  outcome: Outcome;
  /** What broke, where something did. */
  error?: unknown;
}

export type ExchangeAnswer = { kind: "answer"; response: Response } | { kind: "failed"; failure: RpcFailure };

/** Never rejects. `onEnd` hears of the end once, when the answer has gone out or has failed. */
export async function runExchange(
  exchange: Exchange,
  { forwarder, clock, onEnd }: { forwarder: Forwarder; clock: Clock; onEnd: (end: ExchangeEnd) => void },
): Promise<ExchangeAnswer> {
  const { url, method, headers, body, maxBodyBytes, firstByteTimeoutMs, controller } = exchange;
  const timer = clock.schedule(firstByteTimeoutMs, () => controller.abort(new LateAnswer()));
  const { signal } = controller;
  try {
    const sent = body && (await openBody(body, headers["content-length"], maxBodyBytes));
    const isDeclared = sent !== undefined && headers["content-length"] !== undefined;
    if (isDeclared) exchange.watched.body(Buffer.isBuffer(sent) ? sent : undefined);
    const answer = await forwarder.forward(url, { method, headers, body: sent, signal });
    return { kind: "answer", response: await renderAnswer(answer, exchange, onEnd) };
  } catch (error) {
    const { outcome, failure } = renderFailure(error, exchange);
    onEnd({ outcome, error });
    return { kind: "failed", failure };
  } finally {
    timer.cancel();
  }
}

class LateAnswer extends Error {}
class BodyTooLarge extends Error {}

/** A body up to here, of declared length, goes out in one write with its headers, which saves a call a round through the event loop. */
const wholeBytes = 16 * 1024;

async function openBody(body: Readable, declared: string | undefined, maxBytes: number): Promise<Readable | Buffer> {
  if (declared === undefined) return Readable.from(countBytes(body, maxBytes), { objectMode: false });
  return Number(declared) <= wholeBytes ? await buffer(body) : body;
}

/** For a body of undeclared length; of a declared one node's parser holds the sender to it. */
async function* countBytes(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  // Destroying the request would take the connection away from the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxBytes) throw new BodyTooLarge();
    yield part;
  }
}

export const bodyTooLarge = (maxBytes: number): RpcFailure => ({
  status: 413,
  code: rpcCodes.serverError,
  message: `Payload Too Large: the request body is over the limit of ${maxBytes} bytes`,
});

function renderFailure(error: unknown, exchange: Exchange): { outcome: Outcome; failure: RpcFailure } {
  const { agent, firstByteTimeoutMs } = exchange;
  const { aborted, reason } = exchange.controller.signal;
  const code = rpcCodes.serverError;
  if (aborted && reason instanceof LateAnswer) {
    const message = `The agent ${agent} began no answer within ${firstByteTimeoutMs} ms`;
    return { outcome: "late", failure: { status: 504, code, message } };
  }
  if (aborted) {
    return { outcome: "aborted", failure: { status: 499, code, message: "The request was given up" } };
  }
  if (error instanceof BodyTooLarge) return { outcome: "tooLarge", failure: bodyTooLarge(exchange.maxBodyBytes) };
  if (isUnreachable(error)) return { outcome: "unreachable", failure: notReady(agent) };
  const message = `The connection to the agent ${agent} was lost before its answer; the call may have run`;
  return { outcome: "failed", failure: { status: 502, code, message } };
}

/** Rejects where a small answer breaks off, of which nothing has gone out. */
async function renderAnswer(
  { status, headers, body }: ForwardedAnswer,
  { controller, destroyAnswer, watched }: Exchange,
  onEnd: (end: ExchangeEnd) => void,
): Promise<Response> {
  const outcome = status >= 500 ? "failed" : status >= 400 ? "refused" : "ok";
  const init = { status, headers: renderClientHeaders(headers) };
  if (status === 204 || status === 304) {
    body.on("error", () => undefined).resume();
    onEnd({ outcome });
    return new Response(null, init);
  }
  if (Number(headers["content-length"] ?? Infinity) <= wholeBytes) {
    // Of a stream that is no event stream the adapter would hold the first part for a millisecond, to see whether it is all.
    const whole = await buffer(body);
    watched.answer(whole);
    onEnd({ outcome });
    return new Response(whole, init);
  }
  // What is not asked for stays with the agent.
  const chunks: AsyncIterator<Buffer> = body.iterator();
  const sent = new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        try {
          const { done, value } = await chunks.next();
          if (done === true) {
            onEnd({ outcome });
            stream.close();
          } else {
            watched.answer(value);
            stream.enqueue(value);
          }
        } catch (error) {
          onEnd({ outcome: controller.signal.aborted ? "aborted" : "failed", error });
          // Its reader must not take the part for the whole.
          destroyAnswer();
          stream.close();
        }
      },
      cancel() {
        body.destroy();
        onEnd({ outcome: "aborted" });
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(sent, init);
}
