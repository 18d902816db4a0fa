// One request through the proxy, from its arrival to its end: journal, faults before the API server, the call itself,
// faults after it. What a client never gets an answer to stays open until the client or the proxy ends it.

import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import { parseApiRequest } from "./api-request.ts";
import type { ApiRequest } from "./api-request.ts";
import { matches } from "./fault-rules.ts";
import type { CallbackFault, FaultMatch, FaultRules, RequestFault } from "./fault-rules.ts";
import type { createJournal, JournalEntry } from "./journal.ts";
import { readBody } from "./upstream.ts";
import type { Upstream } from "./upstream.ts";
import { relayWatch } from "./watch-stream.ts";
import type { WatchSink } from "./watch-stream.ts";

export interface ExchangeOptions {
  readonly rules: FaultRules;
  readonly journal: ReturnType<typeof createJournal>;
  readonly upstream: Upstream;
  /** TCP RST to the client whose connection reaches us from this port. */
  readonly reset: (port: number) => void;
}

export interface Exchange {
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void;
  endWatches(match: FaultMatch, how: "orderly" | "reset"): number;
  sendBookmark(match: FaultMatch, resourceVersion: string): number;
  /** What the callbacks of rules threw; the clients only saw a cut connection. */
  readonly callbackErrors: readonly unknown[];
}

/** Larger than what the API server takes (3 MiB). */
const maxRequestBytes = 4 * 1024 * 1024;
const maxAnswerBytes = 64 * 1024 * 1024;
/** For bytes on their way through our own relay, before the RST that would overtake them. */
const flushMs = 200;

/** One call under way. */
interface Call {
  readonly request: ApiRequest;
  readonly entry: JournalEntry;
  readonly outgoing: ServerResponse;
  readonly reset: () => void;
}

export function createExchange({ rules, journal, upstream, reset }: ExchangeOptions): Exchange {
  const watches = new Map<ApiRequest, WatchSink>();
  const callbackErrors: unknown[] = [];
  const callBack = async (run: CallbackFault["run"], request: ApiRequest): Promise<void> => {
    try {
      await run(request);
    } catch (error) {
      callbackErrors.push(error);
      throw error;
    }
  };

  const relay = async (call: Call, upstreamAnswer: IncomingMessage) => {
    const sink = createSink(call);
    watches.set(call.request, sink);
    call.outgoing.writeHead(200, withoutFraming(upstreamAnswer.headers));
    call.outgoing.flushHeaders();
    try {
      await relayWatch(call.request, upstreamAnswer, sink, rules);
    } finally {
      watches.delete(call.request);
    }
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await readBody(incoming, maxRequestBytes);
    const request = parseApiRequest(incoming.method ?? "GET", incoming.url ?? "/", body.toString());
    const port = incoming.socket.remotePort ?? 0;
    const call: Call = { request, entry: journal.add(request), outgoing, reset: () => reset(port) };
    const action = rules.takeForRequest(request)?.action;
    call.entry.fault = action?.kind;
    if (action?.kind === "call-before") await callBack(action.run, request);
    else if (action !== undefined && !(await isSentOn(action, call))) return;
    const gone = new AbortController();
    // A write goes on without its client, as it would in a server that has begun it.
    if (!request.isWrite) outgoing.once("close", () => gone.abort());
    const upstreamAnswer = await upstream.send(request, incoming.headers, body, gone.signal);
    call.entry.status = upstreamAnswer.statusCode;
    call.entry.reached = true;
    const isWatch = request.verb === "watch" && upstreamAnswer.statusCode === 200;
    await (isWatch ? relay(call, upstreamAnswer) : passOn(call, upstreamAnswer, rules, callBack));
  };

  const openWatches = (match: FaultMatch) => [...watches].filter(([request]) => matches(match, request));

  return {
    callbackErrors,
    handle(incoming, outgoing) {
      // No answer from the server, or half of one: to the client it looks like a cut connection.
      serve(incoming, outgoing).catch(() => {
        if (!outgoing.writableEnded) reset(incoming.socket.remotePort ?? 0);
      });
    },
    endWatches(match, how) {
      const ended = openWatches(match);
      for (const [, sink] of ended) {
        if (how === "reset") sink.reset();
        else sink.end();
      }
      return ended.length;
    },
    sendBookmark(match, resourceVersion) {
      const told = openWatches(match);
      const line = JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion } } });
      for (const [, sink] of told) void sink.write(Buffer.from(`${line}\n`));
      return told.length;
    },
  };
}

/** Gives the client a whole answer, with what befalls answers. */
async function passOn(
  { request, entry, outgoing, reset }: Call,
  upstreamAnswer: IncomingMessage,
  rules: FaultRules,
  callBack: (run: CallbackFault["run"], request: ApiRequest) => Promise<void>,
): Promise<void> {
  const body = await readBody(upstreamAnswer, maxAnswerBytes);
  const action = rules.takeForAnswer(request)?.action;
  entry.fault = action?.kind ?? entry.fault;
  if (action?.kind === "lose-answer") return reset();
  if (action?.kind === "call-after") await callBack(action.run, request);
  const headers = { ...withoutFraming(upstreamAnswer.headers), "content-length": body.length };
  outgoing.writeHead(upstreamAnswer.statusCode ?? 502, headers);
  if (action?.kind !== "truncate-answer") return void outgoing.end(body);
  outgoing.write(body.subarray(0, body.length / 2));
  await delay(flushMs);
  reset();
}

/** Does what is to be done before the API server hears of the call; false when it never shall. */
async function isSentOn(
  fault: Exclude<RequestFault, CallbackFault>,
  { request, entry, outgoing, reset }: Call,
): Promise<boolean> {
  switch (fault.kind) {
    case "drop":
      return false;
    case "reset":
      reset();
      return false;
    case "compacted": {
      const from = request.query.get("resourceVersion") ?? "0";
      if (BigInt(from) >= BigInt(fault.before)) return true;
      entry.status = 410;
      writeStatus(outgoing, 410, undefined);
      return false;
    }
    case "answer":
      entry.status = fault.status;
      writeStatus(outgoing, fault.status, fault.retryAfterSeconds);
      return false;
    case "end-watch":
      entry.status = 200;
      outgoing.writeHead(200, { "content-type": "application/json" });
      outgoing.end();
      return false;
    case "delay":
      await delay(fault.delayMs);
      return true;
    case "stale-list":
      // A page token already says of which version it is.
      if (!request.query.has("continue")) {
        request.query.set("resourceVersion", fault.resourceVersion);
        request.query.set("resourceVersionMatch", "Exact");
      }
      return true;
  }
}

const reasons: Readonly<Record<number, string>> = {
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

function writeStatus(outgoing: ServerResponse, code: number, retryAfterSeconds: number | undefined): void {
  const message = `made up by the fault proxy: ${code}`;
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: reasons[code],
    message,
    code,
  };
  const retry = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  outgoing.writeHead(code, { "content-type": "application/json", ...retry });
  outgoing.end(JSON.stringify(body));
}

function createSink({ outgoing, reset }: Call): WatchSink {
  return {
    async write(bytes) {
      if (outgoing.writableEnded || outgoing.destroyed) return;
      if (!outgoing.write(bytes)) {
        await new Promise<void>((resolve) => {
          outgoing.once("drain", resolve);
          outgoing.once("close", resolve);
        });
      }
    },
    end: () => void outgoing.end(),
    reset: () => void delay(flushMs).then(reset),
  };
}

const framing = new Set(["connection", "keep-alive", "transfer-encoding"]);

function withoutFraming(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.has(name)));
}
