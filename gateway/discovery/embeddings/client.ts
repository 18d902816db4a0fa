// One endpoint that speaks OpenAI's embeddings API. It asks once: when to ask again is for others to say. No redirect is followed,
// since the key would travel with it, and of an answer no more is read than a batch can have.
import { createGuardedFetch, type GuardedFetch } from "../../../lib/outgoing/guarded-fetch.ts";
import { createBodyMeasure } from "../../../lib/outgoing/response-limit.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { withoutEndSlashes } from "../../../lib/process/end-slashes.ts";
import { untilAborted } from "../../../lib/process/until-aborted.ts";
import { parseEmbeddings } from "./parse-answer.ts";
import { EmbeddingsError, judgeStatus, parseRetryAfter } from "./problem.ts";

const connectTimeoutMs = 5_000;
/** 100,000 numbers of 25 characters have a third of it. */
export const maxAnswerBytes = 8 * 1024 * 1024;
const maxSaidChars = 8_192;

export interface EmbeddingsClientParts {
  /** Without /embeddings. */
  baseUrl: string;
  model: string;
  /** Asked before each request; undefined: the endpoint wants no key. Rejects with a sentence. */
  readKey: () => Promise<string | undefined>;
  clock: Clock;
  /** Absent: the guarded one of all that goes out. */
  guardedFetch?: GuardedFetch;
}

export interface EmbedOptions {
  /** Of the request and its answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface EmbeddingsClient {
  /** Unit vectors, one a text and in their order. Rejects with EmbeddingsError, or with the signal's reason. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  /** Drops all connections. */
  close(): Promise<void>;
}

/** Asks nothing yet. */
export function createEmbeddingsClient(parts: EmbeddingsClientParts): EmbeddingsClient {
  const { model, readKey, clock } = parts;
  const url = embeddingsUrl(parts.baseUrl);
  const guarded = parts.guardedFetch ?? createGuardedFetch({ connectTimeoutMs, maxResponseBytes: maxAnswerBytes });

  const ask = async (texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> => {
    const key = await readKey().catch((cause: unknown) => {
      throw new EmbeddingsError("auth", cause instanceof Error ? cause.message : "the key cannot be read");
    });
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    const body = JSON.stringify({ model, input: texts, encoding_format: "float" });
    const answer = await guarded.fetch(url, { method: "POST", headers, body, signal });
    if (answer.status !== 200) {
      // The status says enough where its body cannot be read.
      const said = await readBody(answer, signal).catch(() => "");
      const hide = (words: string) => (key === undefined ? words : words.replaceAll(key, "[redacted]"));
      const retryAfterMs = parseRetryAfter(answer.headers.get("retry-after"), clock.wallNow());
      throw judgeStatus({ status: answer.status, said: said.slice(0, maxSaidChars), retryAfterMs }, hide);
    }
    return parseEmbeddings(parseJson(await readBody(answer, signal)), texts.length);
  };
  return {
    async embed(texts, { timeoutMs, signal }) {
      const late = new AbortController();
      const timer = clock.schedule(timeoutMs, () =>
        late.abort(new EmbeddingsError("late", `no answer within ${timeoutMs / 1_000} s; it is asked again later`)),
      );
      const either = AbortSignal.any([signal, late.signal]);
      try {
        return await untilAborted(ask(texts, either), either);
      } catch (error) {
        either.throwIfAborted();
        throw error instanceof EmbeddingsError ? error : unreachable(error);
      } finally {
        timer.cancel();
      }
    },
    close: () => guarded.close(),
  };
}

/** A query of the base URL stays one. */
function embeddingsUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `${withoutEndSlashes(url.pathname)}/embeddings`;
  return url;
}

/** Rejects with EmbeddingsError where it holds more than anybody parses. */
async function readBody(answer: Response, signal: AbortSignal): Promise<string> {
  if (answer.body === null) return "";
  const measure = createBodyMeasure(true);
  const reader = answer.body.getReader();
  // The request's own signal may be lost before its answer has ended (a garbage collection takes it).
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const { problem } = measure(part.value);
      if (problem !== undefined) throw new EmbeddingsError("invalid", `the answer ${problem}; check baseUrl and model`);
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const found = text.trimStart().startsWith("<") ? "a page in HTML or XML" : `${text.length} other characters`;
    throw new EmbeddingsError("invalid", `expected JSON from the endpoint, found ${found}; check baseUrl`);
  }
}

/** What undici throws says "fetch failed" and hides the reason below. */
function unreachable(error: unknown): EmbeddingsError {
  let found = "";
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(cause, "code");
    if (cause.name === "ResponseLimitError") {
      return new EmbeddingsError("invalid", `${cause.message}; check baseUrl and model`);
    }
    found = typeof code === "string" ? code : found;
    cause = cause.cause;
  }
  const why = found === "" ? "" : ` (${found})`;
  return new EmbeddingsError("network", `unreachable, or the connection was cut${why}; check baseUrl and the network`);
}
