// What can be wrong with an endpoint of embeddings, and how people are told of it: what was found and the cure, never the key, and
// of what the endpoint says a short piece only.
import { scrub } from "../../../lib/process/error-fields.ts";

/** auth, missing, refused and limited by the answer's status; invalid: an answer, but none of this API. */
export type EmbeddingsErrorKind =
  | "network"
  | "late"
  | "auth"
  | "missing"
  | "refused"
  | "limited"
  | "failed"
  | "invalid";

const maxSaidChars = 200;

/** Thrown in place of vectors. */
export class EmbeddingsError extends Error {
  override readonly name = "EmbeddingsError";
  readonly kind: EmbeddingsErrorKind;
  /** As the endpoint asks for, uncapped. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: EmbeddingsErrorKind, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface RefusedAnswer {
  status: number;
  /** Beginning of the body. */
  said: string;
  retryAfterMs: number | undefined;
}

/** The error of an answer that is no 200. `hide` takes secrets out of what was said. */
export function judgeStatus({ status, said, retryAfterMs }: RefusedAnswer, hide: (text: string) => string) {
  const words = status === 401 || status === 403 ? "" : quote(hide(findMessage(said)));
  const kind = kindOf(status);
  return new EmbeddingsError(kind, `the endpoint answered ${status}${words}; ${cures[kind]}`, retryAfterMs);
}

function kindOf(status: number): keyof typeof cures {
  if (status === 401 || status === 403) return "auth";
  if (status === 429) return "limited";
  if (status === 408 || status === 425 || status >= 500) return "failed";
  if (status === 400 || status === 413 || status === 422) return "refused";
  return "missing";
}

const cures = {
  auth: "check the key that apiKey names, and what it may use",
  limited: "it is asked again later; raise the account's limits if that lasts",
  failed: "it is asked again later",
  refused: "check the model's name and what its endpoint takes",
  missing: "check baseUrl, which /embeddings is added to, and the model's name; redirects are not followed",
} as const;

/** OpenAI's { error: { message } }, FastAPI's { detail }, or nothing: pages in HTML and other shapes say little to people. */
function findMessage(body: string): string {
  try {
    const shape: unknown = JSON.parse(body);
    const inner = fieldOf(shape, "error") ?? fieldOf(shape, "detail") ?? shape;
    const message = typeof inner === "string" ? inner : (fieldOf(inner, "message") ?? fieldOf(shape, "message"));
    return typeof message === "string" ? message : "";
  } catch {
    return "";
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

function quote(text: string): string {
  const line = scrub(text.slice(0, maxSaidChars * 4))
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line === "") return "";
  return ` (${line.length > maxSaidChars ? `${line.slice(0, maxSaidChars)}…` : line})`;
}

/** Of a Retry-After header in seconds or as a date; undefined where it is neither. */
export function parseRetryAfter(header: string | null, wallNowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header.slice(0, 64));
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - wallNowMs);
}
