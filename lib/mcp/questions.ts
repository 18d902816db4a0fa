// Questions of a server during our calls, and whom they belong to. In the 2025 era they are requests on the stream of the
// call that they are about: the call is told by that stream alone, so that no caller is ever asked for another's call, and
// what comes on no call's stream is refused. In the 2026 era they are the call's own result.
import {
  type Client,
  type CreateMessageResult,
  type ElicitResult,
  type InputRequiredResult,
  isInputRequiredResult,
  isSpecType,
} from "@modelcontextprotocol/client";
import { LimitedResponse } from "../outgoing/response-limit.ts";
import { defined } from "../process/defined.ts";
import { isEventStream } from "../process/event-stream.ts";
import type { Ask, Askable, Question } from "./asking.ts";
import type { CallDeadline } from "./call-deadline.ts";
import { createEventDataReader } from "./event-data.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { McpError, refusedInput, renderPlace } from "./mcp-error.ts";

/** A longer event is no question that anybody would be asked. */
const maxQuestionChars = 1024 * 1024;
/** Rounds of questions in one call (2026 era). */
const maxRounds = 16;

type RequestId = string | number;

export interface OpenCall {
  /** For the call's request: the result may be questions. */
  options: { allowInputRequired: true };
  ask: (question: Question) => ReturnType<Ask>;
  /** Where the client lets servers work; absent where it says nothing of that. */
  roots?: () => readonly { uri: string; name?: string | undefined }[];
  end(): void;
}

/** Who is asked in a call. */
export interface Asked {
  ask: Ask;
  /** Hears that what a URL was opened for is done. */
  onCompleted?: ((elicitationId: string) => void) | undefined;
}

export interface Questions {
  /** Questions of the call with this id are answered; its deadline for silence rests meanwhile. */
  begin(call: string, asked: Asked, deadline: CallDeadline): OpenCall;
  /** The response, with each request of the server in it noted as one of the call with this id. */
  watch(response: Response, call: string | undefined): Response;
  /** Lets `client` answer what it says it can be asked. */
  answerFor(client: Client, askable: Askable): void;
}

export function createQuestions(): Questions {
  const calls = new Map<string, Asked>();
  const askedBy = new Map<RequestId, string>();
  /** URLs that calls were asked to open, by the server's ids of them. */
  const openedBy = new Map<string, string>();

  const answer = async (question: Question, { id, signal }: { id: RequestId; signal: AbortSignal }) => {
    const call = askedBy.get(id) ?? "";
    const asked = calls.get(call);
    askedBy.delete(id);
    if (asked === undefined) {
      throw new JsonRpcError(rpcCodes.invalidRequest, `${question.method} belongs to no call of this client that runs`);
    }
    const { elicitationId } = question.params;
    if (typeof elicitationId !== "string") return await asked.ask(question, signal);
    openedBy.set(elicitationId, call);
    return await asked.ask(question, signal).catch((error: unknown) => {
      openedBy.delete(elicitationId);
      throw error;
    });
  };
  const note = (call: string) => (data: string) => {
    const id = readRequestId(data);
    if (id !== undefined && calls.has(call)) askedBy.set(id, call);
  };
  return {
    begin(call, { ask, onCompleted }, deadline) {
      const askAtRest: Ask = async (question, signal) => {
        const resume = deadline.hold();
        try {
          return await ask(question, signal);
        } finally {
          resume();
        }
      };
      const { signal: ending } = deadline;
      calls.set(call, {
        ask: (question, signal) => askAtRest(question, AbortSignal.any([signal, ending])),
        onCompleted,
      });
      const end = () => {
        calls.delete(call);
        forgetCall(askedBy, call);
        forgetCall(openedBy, call);
      };
      const options = { allowInputRequired: true as const };
      return { options, ask: (question) => askAtRest(question, ending), end };
    },
    watch(response, call) {
      return call === undefined || !calls.has(call) ? response : watchEvents(response, note(call));
    },
    answerFor(client, askable) {
      if (askable.form || askable.url) {
        client.setRequestHandler("elicitation/create", async ({ method, params }, { mcpReq }) =>
          parseElicitResult(await answer({ method, params: { ...params } }, mcpReq)),
        );
      }
      if (askable.url) {
        client.setNotificationHandler("notifications/elicitation/complete", ({ params: { elicitationId } }) => {
          calls.get(openedBy.get(elicitationId) ?? "")?.onCompleted?.(elicitationId);
          openedBy.delete(elicitationId);
        });
      }
      if (askable.sampling) {
        client.setRequestHandler("sampling/createMessage", async ({ method, params }, { mcpReq }) =>
          parseSampled(await answer({ method, params: { ...params } }, mcpReq)),
        );
      }
    },
  };
}

function forgetCall<Id>(calls: Map<Id, string>, call: string): void {
  for (const [id, known] of calls) if (known === call) calls.delete(id);
}

function watchEvents(response: Response, onData: (data: string) => void): Response {
  if (response.body === null || !isEventStream(response.headers)) return response;
  const read = createEventDataReader(onData, maxQuestionChars);
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        read(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const watched = new LimitedResponse(body, { status, statusText, headers });
  if (response instanceof LimitedResponse) response.onExcess = (error) => watched.exceed(error);
  return watched;
}

/** A request of the 2026 era with all rounds of questions that its server wants answered first. */
export async function callWithAnswers<Result extends object>(
  request: (params: object) => Promise<Result | InputRequiredResult>,
  call: OpenCall,
  url: string,
): Promise<Result> {
  let answers: object = {};
  for (let round = 0; round < maxRounds; round += 1) {
    const result = await request(answers);
    if (!isInputRequiredResult(result)) return result;
    const inputResponses: Record<string, unknown> = {};
    for (const [key, { method, params }] of Object.entries(result.inputRequests ?? {})) {
      if (method !== "roots/list") {
        inputResponses[key] = await call.ask({ method, params: { ...params } });
      } else if (call.roots !== undefined) {
        inputResponses[key] = { roots: [...call.roots()] };
      } else {
        throw new McpError("protocol", `${renderPlace(url)} asked for roots, ${refusedInput}`);
      }
    }
    const { requestState } = result;
    answers = { inputResponses, ...defined({ requestState }) };
  }
  throw new McpError("protocol", `${renderPlace(url)} asked for more input ${maxRounds} times in one call`);
}

function readRequestId(data: string): RequestId | undefined {
  // Spares results, which may be large, the parsing.
  if (!data.includes('"method"')) return undefined;
  try {
    const message: unknown = JSON.parse(data);
    if (!isJsonObject(message) || typeof message["method"] !== "string") return undefined;
    const { id } = message;
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined; // The SDK reports it.
  }
}

const unfit = () => new JsonRpcError(rpcCodes.internalError, "the answer is not one that MCP knows");

export function parseElicitResult(answer: unknown): ElicitResult {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- just checked; the two SDKs' types of it differ in name only
  if (isSpecType.ElicitResult(answer)) return answer as ElicitResult;
  throw unfit();
}

export function parseSampled(answer: unknown): CreateMessageResult {
  if (isSpecType.CreateMessageResult(answer)) return answer;
  throw unfit();
}
