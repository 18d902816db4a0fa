// How one place to browse is asked: below its base URL alone, with its own credentials, guarded like all that goes out (SEC-5), and no more
// is read than the limit. What goes wrong is told in words that name neither credentials nor what the place said.
import { createSafeFetch, type OpenFetch } from "../../../lib/mcp/safe-fetch.ts";
import { withoutEndSlashes } from "../../../lib/process/end-slashes.ts";
import { lineOf } from "./listing.ts";

/** Where a place is, and what shows it who asks. */
export interface SourceAddress {
  /** Without user and password. */
  readonly url: string;
  /** Of an Authorization header, for its host alone. */
  readonly authorization?: string | undefined;
}

export interface SourceAnswer {
  readonly status: number;
  /** Media type without parameters, in lower case. */
  readonly type: string;
  /** The JSON of an answer with status 200; of another the text, where it was asked for. */
  readonly value?: unknown;
  readonly text?: string;
}

export interface SourceClient {
  /** The base URL, without slashes at its end. */
  readonly folder: string;
  /** @param path below the base URL, with what of it is foreign encoded. Throws SourceFailed. */
  get(path: string, signal: AbortSignal, options?: { accept?: string; takesHtml?: true }): Promise<SourceAnswer>;
  close(): Promise<void>;
}

/** A place that gave no usable answer, in a sentence for whoever asked. */
export class SourceFailed extends Error {
  override readonly name = "SourceFailed";
}

const connectTimeoutMs = 2_000;
/** Many times a page of a hundred servers. */
const maxAnswerBytes = 2 * 1024 * 1024;

export function createSourceClient(
  { url, authorization }: SourceAddress,
  openFetch: OpenFetch = createSafeFetch,
): SourceClient {
  const safe = openFetch({ connectTimeoutMs, maxResponseBytes: maxAnswerBytes });
  const base = new URL(url);
  const folder = `${base.origin}${withoutEndSlashes(base.pathname)}`;
  return {
    folder,
    async get(path, signal, { accept = "application/json", takesHtml } = {}) {
      const headers = { accept, ...(authorization !== undefined && { authorization }) };
      try {
        const answer = await safe.fetch(`${folder}${path}`, { headers, signal });
        const { status } = answer;
        const [type = ""] = (answer.headers.get("content-type") ?? "").toLowerCase().split(";", 1);
        if (status !== 200) {
          await answer.body?.cancel();
          return { status, type };
        }
        const isJson = type.includes("json");
        if (!isJson && !(takesHtml && type.includes("html"))) {
          await answer.body?.cancel();
          throw new SourceFailed(`expected JSON, found ${lineOf(type, 64) || "an answer without a type"}`);
        }
        const text = await answer.text();
        return isJson ? { status, type, value: parseJson(text) } : { status, type, text };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw error instanceof SourceFailed ? error : new SourceFailed(explain(error), { cause: error });
      }
    },
    close: () => safe.close(),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceFailed("expected JSON, found something that cannot be read as such");
  }
}

/** Codes of our own errors, whose messages are ours too. */
const told: ReadonlySet<unknown> = new Set(["EREDIRECT", "ERESPONSELIMIT", "EREFUSEDADDRESS"]);

function explain(error: unknown): string {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    const code: unknown = Reflect.get(each, "code");
    if (told.has(code)) return lineOf(each.message);
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return `cannot be reached (${code})`;
  }
  return "cannot be reached";
}

/** Of an answer that is not what was asked for. */
export const unexpected = ({ status }: SourceAnswer): SourceFailed =>
  status === 401 || status === 403
    ? new SourceFailed(`answered ${status}: it wants credentials, or others than it was given`)
    : new SourceFailed(`answered ${status}`);
