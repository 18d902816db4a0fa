// What a tested server asks its client, kept until the person who tries it answers by hand: so many at a time, each for so long,
// then it is answered as one that was dismissed. An answer must fit what was asked for.
import { randomUUID } from "node:crypto";
import type { Question } from "../../lib/mcp/asking.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import { findSchemaProblem } from "../../lib/mcp/schema-check.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { TesterProblem } from "./problem.ts";

type JsonObject = Record<string, unknown>;

export interface QuestionBounds {
  maxPending: number;
  maxChars: number;
  answerTimeoutMs: number;
}

export const questionBounds: QuestionBounds = { maxPending: 16, maxChars: 64 * 1024, answerTimeoutMs: 2 * 60_000 };

/** As the list shows it; times in milliseconds since 1970. */
export interface PendingQuestion {
  id: string;
  serverName: string;
  kind: "elicitation" | "sampling";
  createdAt: number;
  expiresAt: number;
  [asked: string]: unknown;
}

export interface Answer {
  action: "accept" | "decline" | "cancel";
  content?: unknown;
}

export interface Questions {
  /** Resolves to the client's result. Rejects with what the server is told. */
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
  /** The oldest first. */
  list(): readonly PendingQuestion[];
  /** False where nobody waits for it. Throws TesterProblem where the answer is none. */
  answer(id: string, answer: Answer): boolean;
}

interface Waiting {
  shown: PendingQuestion;
  question: Question;
  settle(answer: Answer): void;
}

export function createQuestions(serverName: string, clock: Clock, bounds = questionBounds): Questions {
  const waiting = new Map<string, Waiting>();
  return {
    async ask(question, signal) {
      if (waiting.size >= bounds.maxPending) throw refuse(`at most ${bounds.maxPending} questions can wait at a time`);
      if (JSON.stringify(question.params).length > bounds.maxChars) {
        throw refuse(`a question may have at most ${bounds.maxChars} characters`);
      }
      const shown = renderQuestion(question, serverName, clock.wallNow(), bounds.answerTimeoutMs);
      const answered = Promise.withResolvers<Answer>();
      const timer = clock.schedule(bounds.answerTimeoutMs, () => answered.resolve({ action: "cancel" }));
      const onAbort = () => answered.reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      waiting.set(shown.id, { shown, question, settle: answered.resolve });
      try {
        signal.throwIfAborted();
        return renderResult(question, await answered.promise);
      } finally {
        waiting.delete(shown.id);
        timer.cancel();
        signal.removeEventListener("abort", onAbort);
      }
    },
    list: () => [...waiting.values()].map(({ shown }) => shown),
    answer(id, answer) {
      const found = waiting.get(id);
      if (found === undefined) return false;
      judgeAnswer(found.question, answer);
      waiting.delete(id);
      found.settle(answer);
      return true;
    },
  };
}

const refuse = (message: string) => new JsonRpcError(rpcCodes.invalidRequest, message);

function renderQuestion(
  { method, params }: Question,
  serverName: string,
  createdAt: number,
  answerTimeoutMs: number,
): PendingQuestion {
  const kind = method === "elicitation/create" ? "elicitation" : "sampling";
  const { _meta, ...asked } = params;
  return {
    ...(kind === "elicitation" ? asked : { params: asked }),
    id: randomUUID(),
    serverName,
    kind,
    createdAt,
    expiresAt: createdAt + answerTimeoutMs,
  };
}

function judgeAnswer({ method, params }: Question, { action, content }: Answer): void {
  if (action !== "accept") return;
  if (method === "sampling/createMessage") {
    if (readSampled(content) !== undefined) return;
    throw new TesterProblem(
      422,
      "content must be the model's answer: a text, or an object with content and optionally model, stopReason and role",
    );
  }
  if (params["mode"] === "url") return;
  const schema = params["requestedSchema"];
  if (!isJsonObject(content)) throw new TesterProblem(422, "content must be an object that fits requestedSchema");
  const problem = isJsonObject(schema) ? findSchemaProblem(schema, content, "content") : undefined;
  if (problem !== undefined) throw new TesterProblem(422, problem);
}

function renderResult({ method, params }: Question, { action, content }: Answer): JsonObject {
  if (method === "elicitation/create") {
    const isForm = params["mode"] !== "url" && action === "accept";
    return { action, ...(isForm ? { content } : {}) };
  }
  const sampled = action === "accept" ? readSampled(content) : undefined;
  // As the protocol has it for a person who refuses.
  if (sampled === undefined) throw new JsonRpcError(-1, "User rejected sampling request");
  return sampled;
}

/** A text, or the result as MCP has it, in which content may be a text too. */
function readSampled(content: unknown): JsonObject | undefined {
  if (typeof content === "string") return readSampled({ content });
  if (!isJsonObject(content)) return undefined;
  const { role = "assistant", model = "by hand", stopReason } = content;
  const block =
    typeof content["content"] === "string" ? { type: "text", text: content["content"] } : content["content"];
  const isWhole =
    (role === "assistant" || role === "user") &&
    typeof model === "string" &&
    (stopReason === undefined || typeof stopReason === "string") &&
    isJsonObject(block) &&
    ((block["type"] === "text" && typeof block["text"] === "string") ||
      (["image", "audio"].includes(String(block["type"])) &&
        typeof block["data"] === "string" &&
        typeof block["mimeType"] === "string"));
  return isWhole ? { role, model, content: block, ...defined({ stopReason }) } : undefined;
}
