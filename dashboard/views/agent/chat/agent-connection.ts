// The page's way to one agent through the gateway: messages with progress, text as it is written, questions, and what was said before. A client is
// made when it is needed and anew when it failed. It holds no state of a conversation.
import type { Client } from "@modelcontextprotocol/client";
import { isInputRequiredResult } from "@modelcontextprotocol/client";
import * as z from "zod";
import { historyPromptName, sessionIdMetaKey } from "../../../../crds/names.ts";
import { textDeltaMetaKey, textDeltasMetaKey, textDeltaSchema, type TextDelta } from "../../../../crds/text-delta.ts";
import { connectClient, neverMs } from "../../../connect/mcp-client.ts";
import { Problem, toProblem } from "../../../connect/problem.ts";
import type { GatewayFetch } from "../../../connect/fetch.ts";
import type { PageTime } from "../../../time.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { readHistoryPage, type HistoryPage } from "./turns.ts";

/** Agents send a sign of life every 15 s. */
const idleTimeoutMs = 120_000;
const shortTimeoutMs = 30_000;
const abandonMs = 2_000;
const maxRounds = 16;
/** Messages of a page of the history. */
const maxHistory = "50";

export interface Question {
  message: string;
  schema: unknown;
}
export type QuestionAnswer = { action: "accept"; content: Record<string, unknown> } | { action: "decline" };

export interface MessageHandlers {
  onText(delta: TextDelta): void;
  onProgress(message: string): void;
  /** Resolves with what the person answers. */
  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
}

export interface SentMessage {
  text: string;
  images: readonly { data: string; mime_type: string }[];
  /** `new`, or one that the agent named; undefined where there is one history for all. */
  sessionId: string | undefined;
}

export interface Answered {
  text: string;
  isError: boolean;
  sessionId: string | undefined;
  stopReason: string | undefined;
  usage: { input: number; output: number } | undefined;
}

const factsSchema = z.looseObject({
  text: z.string().optional(),
  stop_reason: z.string().optional(),
  usage: z.looseObject({ input: z.number(), output: z.number() }).optional(),
});
const elicitationSchema = z.looseObject({ message: z.string(), requestedSchema: z.unknown().optional() });

export interface AgentConnection {
  /** Rejects with a Problem. */
  send(message: SentMessage, handlers: MessageHandlers, signal: AbortSignal): Promise<Answered>;
  /** @param before what came before the message of this number; undefined: the end of it */
  history(sessionId: string | undefined, before?: number): Promise<HistoryPage>;
  forget(sessionId: string | undefined): Promise<void>;
}

export interface AgentConnectionParts {
  origin: string;
  fetch: GatewayFetch;
  config: { version: string };
  time: PageTime;
}

export function createAgentConnection(
  agent: string,
  { origin, fetch, config, time }: AgentConnectionParts,
): AgentConnection {
  let client: Promise<Client> | undefined;
  const connect = () =>
    connectClient({
      path: `/proxy/${encodeURIComponent(agent)}/mcp`,
      ...{ origin, fetch, version: config.version, asks: true },
      signal: AbortSignal.timeout(shortTimeoutMs),
    });
  const open = async (): Promise<Client> => {
    client ??= connect();
    try {
      return await client;
    } catch (error) {
      client = undefined;
      throw error;
    }
  };
  const short = async <T>(
    ask: (opened: Client, options: { signal: AbortSignal; timeout: number }) => Promise<T>,
  ): Promise<T> => {
    const signal = AbortSignal.timeout(shortTimeoutMs);
    try {
      return await ask(await open(), { signal, timeout: neverMs });
    } catch (error) {
      throw toProblem(error, signal);
    }
  };
  return {
    async send(message, handlers, signal) {
      const silence = createSilence(time);
      const deadline = AbortSignal.any([signal, silence.signal]);
      try {
        const opened = await open();
        const ask: MessageHandlers["ask"] = async (question, signalOfAsk) => {
          // While the person thinks, the agent has nothing to say.
          silence.stop();
          try {
            return await handlers.ask(question, signalOfAsk);
          } finally {
            silence.restart();
          }
        };
        return await sendRounds(opened, message, { ...handlers, ask, heard: silence.restart, deadline });
      } catch (error) {
        throw toProblem(error, deadline);
      } finally {
        silence.stop();
      }
    },
    history: (sessionId, before) =>
      short(async (opened, options) => {
        const args = {
          limit: maxHistory,
          ...(sessionId !== undefined && { session_id: sessionId }),
          ...(before !== undefined && { before: String(before) }),
        };
        const { messages } = await opened.getPrompt({ name: historyPromptName(agent), arguments: args }, options);
        return readHistoryPage(messages);
      }),
    forget: (sessionId) =>
      short(async (opened, options) => {
        const args = sessionId === undefined ? {} : { session_id: sessionId };
        const result = await opened.callTool({ name: "clear_history", arguments: args }, options);
        if (result.isError === true) throw new Problem("refused", textOf(result.content));
      }),
  };
}

interface Rounds extends MessageHandlers {
  heard(): void;
  deadline: AbortSignal;
}

/** The message, with all rounds of questions that must be answered first. */
async function sendRounds(client: Client, { text, images, sessionId }: SentMessage, rounds: Rounds): Promise<Answered> {
  const args = {
    message: text,
    ...(images.length > 0 && { images: [...images] }),
    ...(sessionId !== undefined && { session_id: sessionId }),
  };
  const request = { name: "send_message", arguments: args, _meta: { [textDeltasMetaKey]: true } };
  let answers: object = {};
  for (let round = 0; round < maxRounds; round += 1) {
    const result = await client.callTool(
      { ...request, ...answers },
      {
        signal: rounds.deadline,
        timeout: neverMs,
        allowInputRequired: true,
        onprogress: (progress) => noteProgress(progress, rounds),
      },
    );
    rounds.heard();
    if (!isInputRequiredResult(result)) return readAnswer(result);
    const inputResponses: Record<string, unknown> = {};
    for (const [key, asked] of Object.entries(result.inputRequests ?? {})) {
      const question = elicitationSchema.safeParse(asked.params);
      if (asked.method !== "elicitation/create" || !question.success) {
        throw new Problem("refused", words.strangeQuestion);
      }
      const { message, requestedSchema } = question.data;
      try {
        inputResponses[key] = await rounds.ask({ message, schema: requestedSchema }, rounds.deadline);
      } catch (error) {
        void abandon(client, request, { inputResponses: cancelAll(result.inputRequests ?? {}), ...stateOf(result) });
        throw error;
      }
    }
    answers = { inputResponses, ...stateOf(result) };
  }
  throw new Problem("refused", words.tooManyQuestions);
}

const stateOf = ({ requestState }: { requestState?: string | undefined }) =>
  requestState === undefined ? {} : { requestState };

const cancelAll = (requests: object) =>
  Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "cancel" }]));

/** A call that asked waits at the agent for a while: taken up once more, and left, it ends at once. */
async function abandon(client: Client, request: Parameters<Client["callTool"]>[0], answers: object): Promise<void> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(abandonMs)]);
  const options = { signal, timeout: neverMs, allowInputRequired: true, onprogress: () => leaving.abort() };
  await client.callTool({ ...request, ...answers }, options).catch(() => undefined);
}

function noteProgress(progress: { message?: string | undefined; _meta?: unknown }, rounds: Rounds): void {
  rounds.heard();
  const meta = z.record(z.string(), z.unknown()).safeParse(progress._meta).data;
  const delta = textDeltaSchema.safeParse(meta?.[textDeltaMetaKey]);
  if (delta.success) rounds.onText(delta.data);
  else if (progress.message !== undefined) rounds.onProgress(progress.message);
}

const textOf = (content: readonly { type: string; text?: unknown }[]): string =>
  content.flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : [])).join("\n\n");

function readAnswer(result: {
  content: readonly { type: string; text?: unknown }[];
  isError?: boolean | undefined;
  structuredContent?: unknown;
  _meta?: unknown;
}): Answered {
  const facts = factsSchema.safeParse(result.structuredContent).data;
  const named = z.record(z.string(), z.unknown()).safeParse(result._meta).data?.[sessionIdMetaKey];
  return {
    text: facts?.text ?? textOf(result.content),
    isError: result.isError === true,
    sessionId: typeof named === "string" ? named : undefined,
    stopReason: facts?.stop_reason,
    usage: facts?.usage,
  };
}

/** Aborts when nothing was heard for so long. */
function createSilence(time: PageTime) {
  const controller = new AbortController();
  const end = () => controller.abort(new DOMException(words.silence, "TimeoutError"));
  let cancel = time.after(idleTimeoutMs, end);
  return {
    signal: controller.signal,
    restart() {
      cancel();
      cancel = time.after(idleTimeoutMs, end);
    },
    stop: () => cancel(),
  };
}
