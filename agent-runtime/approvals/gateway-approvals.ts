// An agent's requests to its gateway about approvals (MGM-6), each with the agent's own token as it is then. Everything that comes
// back is bounded, and a stream that says nothing for half a minute counts as broken. Whether to ask again is for who asks.
import type { ApprovalDecision } from "../../crds/approval.ts";
import {
  agentApprovalsPath,
  approvalHeartbeatMs,
  maxApprovalWireBytes,
  parseApprovalError,
  parseApprovalLine,
  parseApprovalQuestion,
  parseApprovalUsed,
  type ApprovalLine,
  type ApprovalQuestion,
  type ApprovalUse,
  type CallerAnswer,
} from "../../crds/approval-wire.ts";
import { createGuardedFetch } from "../../lib/outgoing/guarded-fetch.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { readLines } from "./ndjson.ts";

/** The gateway's answer is no: asking again would give the same. */
export class RefusedByGateway extends Error {
  override readonly name = "RefusedByGateway";
  readonly status: number;
  /** The word of the answer: used, expired, full, … */
  readonly word: string;

  constructor(status: number, word: string, message: string) {
    super(message);
    this.status = status;
    this.word = word;
  }
}

export interface GatewayApprovals {
  /** Asks, or with a name goes on listening. Ends, or rejects, when the stream does; RefusedByGateway where there is none. */
  listen(url: string, what: ApprovalQuestion | { name: string }, signal: AbortSignal): AsyncGenerator<ApprovalLine>;
  /** What was decided, from now on used by this use alone. */
  use(url: string, name: string, use: ApprovalUse, signal: AbortSignal): Promise<ApprovalDecision>;
  answerAsCaller(url: string, name: string, answer: CallerAnswer, signal: AbortSignal): Promise<void>;
  withdraw(url: string, name: string, signal: AbortSignal): Promise<void>;
  /** Ends all requests. */
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
/** Three heartbeats. */
export const silenceMs = 3 * approvalHeartbeatMs;
/** Of a request that is answered at once. */
const answerTimeoutMs = 15_000;
/** Of a whole stream: a day of heartbeats and one decision. */
const maxStreamBytes = 4 * maxApprovalWireBytes;
const maxQuotedChars = 1_000;

interface Sent {
  method?: string;
  body?: string;
  accept: string;
  signal: AbortSignal;
}

export function createGatewayApprovals(parts: { readToken: () => Promise<string>; clock: Clock }): GatewayApprovals {
  const { readToken, clock } = parts;
  const outgoing = createGuardedFetch({ connectTimeoutMs, maxResponseBytes: maxStreamBytes });
  const send = async (url: string, path: string, { accept, ...request }: Sent): Promise<Response> => {
    const authorization = `Bearer ${await readToken()}`;
    const response = await outgoing.fetch(new URL(`${agentApprovalsPath}${path}`, url), {
      ...request,
      headers: { authorization, accept, "content-type": "application/json" },
    });
    if (response.ok) return response;
    throw renderRefusal(response.status, await response.text());
  };
  const ask = async (url: string, path: string, request: Omit<Sent, "accept">) => {
    const late = AbortSignal.any([request.signal, AbortSignal.timeout(answerTimeoutMs)]);
    return await (await send(url, path, { ...request, accept: "application/json", signal: late })).text();
  };
  const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) });
  return {
    async *listen(url, what, signal) {
      const silent = new AbortController();
      const hush = () => silent.abort(new Error(`the gateway said nothing for ${silenceMs / 1_000} s`));
      let timer = clock.schedule(silenceMs, hush);
      const heard = AbortSignal.any([signal, silent.signal]);
      try {
        const request = { signal: heard, accept: "application/x-ndjson" };
        const response =
          "name" in what
            ? await send(url, pathOf(what.name), request)
            : await send(url, "", { ...post(asSent(what)), ...request });
        for await (const text of readLines(response.body, maxApprovalWireBytes)) {
          timer.cancel();
          timer = clock.schedule(silenceMs, hush);
          yield parseApprovalLine(text);
        }
      } finally {
        timer.cancel();
      }
    },
    use: async (url, name, use, signal) =>
      parseApprovalUsed(await ask(url, `${pathOf(name)}/use`, { ...post(use), signal })).decision,
    answerAsCaller: async (url, name, answer, signal) =>
      void (await ask(url, `${pathOf(name)}/caller`, { ...post(answer), signal })),
    withdraw: async (url, name, signal) => void (await ask(url, pathOf(name), { method: "DELETE", signal })),
    close: () => outgoing.close(),
  };
}

/** The arguments themselves stay with the agent, whatever else a question carries on its way here. */
const asSent = (question: ApprovalQuestion): ApprovalQuestion => parseApprovalQuestion(JSON.stringify(question));

const pathOf = (name: string): string => `/${encodeURIComponent(name)}`;

/** What another try may change is no refusal: the gateway is not ready, or its keys and our token are not of the same time. */
function renderRefusal(status: number, text: string): Error {
  const said = readError(text);
  const message = said?.message === undefined || said.message === "" ? `it answered ${status}` : said.message;
  const quoted = message.slice(0, maxQuotedChars).toWellFormed();
  if (status >= 500 || status === 401 || status === 408) return new Error(`the gateway answered ${status}: ${quoted}`);
  return new RefusedByGateway(status, said?.error ?? "", quoted);
}

function readError(text: string) {
  try {
    return parseApprovalError(text);
  } catch {
    return undefined; // Whatever stands between us and the gateway answered.
  }
}
