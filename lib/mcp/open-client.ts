// Opens the SDK's client towards a server, in the 2026 era first, else in the 2025 one, whatever came of the first (AGT-6):
// its transport with our headers and deadlines, and what the server is told that it may ask. It leaves nothing open that failed.
import { Client, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import type { Holder, MemoryBudget } from "../process/memory-budget.ts";
import { untilAborted } from "../process/until-aborted.ts";
import { openCallRoom, openPassingRoom } from "./answer-room.ts";
import { notAskable, renderAskable, type Askable } from "./asking.ts";
import type { CallDeadline } from "./call-deadline.ts";
import { createCallMarks, type CallMarks } from "./call-marks.ts";
import { CallTransport } from "./client-transport.ts";
import { JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { McpError, refusedInput } from "./mcp-error.ts";
import { mendAnswer, type OutputSchemas } from "./mend-answer.ts";
import { createQuestions, type Questions } from "./questions.ts";
import type { SafeFetch } from "./safe-fetch.ts";
import { renderFailure } from "./sdk-error.ts";
import { unusedValidator } from "./sdk-validator.ts";
import { fetchWithHeaders, redactError, type SentHeaders } from "./sent-headers.ts";
import type { Era } from "./table.ts";
import { streamReconnection } from "./tool-changes.ts";
import type { Witness } from "./witness.ts";

/** Our own deadlines decide; the SDK's must never fire first. */
export const sdkNeverMs = 2 ** 31 - 1;
/** Of the time to connect: a server of the 2025 era may leave the question for the other unanswered. */
const firstEraShare = 0.25;
const revision2026 = "2026-07-28";

export interface OpenOptions {
  url: string;
  clientName: string;
  clientVersion: string;
  /** For the whole of connecting, both eras tried; the first gets a quarter of it. */
  connectTimeoutMs: number;
  /** Tried alone: that of an earlier connection to a server which answers nothing useful in the other. */
  era?: Era | undefined;
  /** What the server may ask during calls; nothing when absent. */
  askable?: Askable;
  /** Hears every message, and answers every question in place of the calls they belong to. */
  witness?: Witness | undefined;
  /** What all answers may hold together; absent: any amount. */
  memory?: MemoryBudget | undefined;
}

interface Attempt {
  options: OpenOptions;
  safeFetch: SafeFetch;
  sent: SentHeaders;
  deadline: CallDeadline;
}

export interface Opened {
  client: Client;
  transport: CallTransport;
  outputSchemas: OutputSchemas;
  questions: Questions;
  marks: CallMarks;
}

/** Whatever a server answers in the 2026 era, it may speak the other, except where it has no trust in us. */
export async function openEitherEra(attempt: Attempt): Promise<Opened> {
  const { era, connectTimeoutMs } = attempt.options;
  if (era === "2025") return await openEra("2025", attempt, connectTimeoutMs);
  const first = await openEra("2026", attempt, connectTimeoutMs * firstEraShare).catch(asMcpError);
  if (!(first instanceof McpError)) return first;
  if (first.kind === "unauthorized" || attempt.deadline.expired() !== undefined) throw first;
  const second = await openEra("2025", attempt, connectTimeoutMs).catch(asMcpError);
  if (!(second instanceof McpError)) return second;
  // One that speaks the 2026 era alone, and took its time to wake up: it refuses the other at once.
  if (first.kind === "timeout" && second.kind === "protocol") return await openEra("2026", attempt, connectTimeoutMs);
  throw second;
}

function asMcpError(error: unknown): McpError {
  if (error instanceof McpError) return error;
  throw error;
}

async function openEra(era: Era, attempt: Attempt, timeoutMs: number): Promise<Opened> {
  const { options, sent, deadline } = attempt;
  const { witness } = options;
  const [questions, marks] = [witness?.questions ?? createQuestions(), createCallMarks()];
  const transport = openTransport(attempt, questions, marks);
  const outputSchemas: OutputSchemas = new Map();
  transport.onmessage = (message) => {
    mendAnswer(transport.noteReceived(message), message, outputSchemas);
    witness?.hear(message);
  };
  const client = openClient(options, era === "2026" ? { pin: revision2026 } : "legacy", timeoutMs);
  questions.answerFor(client, options.askable ?? notAskable);
  try {
    await untilAborted(client.connect(transport, { signal: deadline.signal, timeout: sdkNeverMs }), deadline.signal);
    return { client, transport, outputSchemas, questions, marks };
  } catch (error) {
    await transport.close();
    throw redactError(renderFailure(error, options.url, false, deadline, options.connectTimeoutMs), sent);
  }
}

function openClient(
  { clientName: name, clientVersion: version, askable = notAskable, witness }: OpenOptions,
  mode: VersionNegotiationMode,
  timeoutMs: number,
): Client {
  const client = new Client(
    { name, version },
    {
      versionNegotiation: { mode, probe: { timeoutMs } },
      inputRequired: { autoFulfill: false },
      capabilities: { ...renderAskable(askable), ...(witness && { roots: { listChanged: true } }) },
      jsonSchemaValidator: unusedValidator,
    },
  );
  // What the SDK does not answer by itself; the server's tool usually passes the text on to the model.
  client.fallbackRequestHandler = async ({ method }) => {
    throw new JsonRpcError(rpcCodes.methodNotFound, `${method} asks for something ${refusedInput}`);
  };
  return client;
}

function openTransport(
  { options, safeFetch, sent, deadline }: Attempt,
  questions: Questions,
  marks: CallMarks,
): CallTransport {
  const { memory } = options;
  const openRoom = (holder: Holder | undefined) => {
    if (holder !== undefined) return openCallRoom(holder);
    return memory && openPassingRoom(memory);
  };
  return new CallTransport(new URL(options.url), {
    reconnectionOptions: streamReconnection,
    // Redirects, and what they may carry, are the safe fetch's business.
    redirectPolicy: "follow",
    async fetch(target, init = {}) {
      // The deadline of connecting covers the body too: a server that answers and then stays silent must not outlast it.
      const signal = AbortSignal.any([deadline.signal, ...(init.signal ? [init.signal] : [])]);
      const wanted = new Headers(init.headers);
      const call = marks.take(wanted);
      const { answer } = await fetchWithHeaders(sent, async (headers) => {
        const merged = new Headers(wanted);
        for (const [name, value] of Object.entries(headers)) merged.set(name, value);
        return await safeFetch.fetch(target, {
          method: init.method ?? "GET",
          headers: merged,
          signal,
          room: openRoom(call?.holder),
          ...(typeof init.body === "string" && { body: init.body }),
        });
      });
      return questions.watch(answer, call?.id);
    },
  });
}
