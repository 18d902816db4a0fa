// HTTP to a provider: sets the credentials, follows no redirect (keys would travel with it), bounds what is read.
import { boundAnswer, type AnswerLimits } from "./answer-bounds.ts";

/** What one answer may hold, streamed or not. */
const maxAnswerBytes = 64 * 1024 * 1024;

const authHeaders = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

export interface ProviderFetchOptions {
  /** Speaks HTTP. */
  fetch: typeof globalThis.fetch;
  headers: Readonly<Record<string, string>>;
  /** Asked for other headers when these got HTTP 401; the request is then made once more. */
  renew?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** Hears of the answer's beginning (0 bytes) and of every chunk. */
  onBytes: (count: number) => void;
  /** Gives the body that is sent instead. */
  changeBody?: (body: string) => string;
  /** The library signs requests itself, with keys that are not ours. */
  keepsCredentials?: boolean;
  maxBytes?: number;
  /** How the client library reads an answer that is no error; default "events". */
  reads?: AnswerLimits["reads"];
  /**
   * Ends the answer too. Node's fetch holds the signal it is given weakly: after a garbage collection an abort would
   * not reach an answer that has begun, and its connection would stay open.
   */
  signal?: AbortSignal;
}

/** A fetch for client libraries. Whatever credentials they set are replaced by `headers`. */
export function createProviderFetch(options: ProviderFetchOptions): typeof globalThis.fetch {
  const maxBytes = options.maxBytes ?? maxAnswerBytes;
  return async (input, init) => {
    const { changeBody } = options;
    const body = changeBody !== undefined && typeof init?.body === "string" ? { body: changeBody(init.body) } : {};
    const ask = (own: Readonly<Record<string, string>>) => {
      const headers = new Headers(init?.headers);
      if (options.keepsCredentials !== true) for (const name of authHeaders) headers.delete(name);
      for (const [name, value] of Object.entries(own)) headers.set(name, value);
      return options.fetch(input, { ...init, ...body, headers, redirect: "manual" });
    };
    let response = await ask(options.headers);
    if (response.status === 401 && options.renew !== undefined) {
      const renewed = await options.renew();
      await response.body?.cancel();
      response = await ask(renewed);
    }
    options.onBytes(0);
    if (response.body === null) return response;
    const { signal, onBytes, reads = "events" } = options;
    const answer = response.body.pipeThrough(boundAnswer(response, { maxBytes, reads, onBytes }), signal && { signal });
    return new Response(answer, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

/** Reads a body as text. Throws AnswerTooLarge above the limit. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const bounds = boundAnswer(response, { maxBytes, reads: "body", onBytes: () => undefined });
  return new Response(response.body.pipeThrough(bounds)).text();
}
