// From whatever a provider, a client library or the network throws to one ModelError. Providers agree on no shape
// (error-fields.ts) and on no words: which kind of problem theirs tell of is judged here.
import { refusedAddressCode } from "../../lib/outgoing/refused-addresses.ts";
import { parseErrorBody, parseErrorShape } from "./error-fields.ts";
import { isOverflow, parseRefusal, parseWindow, type Refusal } from "./refusals.ts";
import { findParameter } from "./sampling.ts";
import { ModelError, type ModelErrorDetails, type ModelErrorKind } from "./types.ts";

const maxMessageChars = 300;
const maxCauseDepth = 5;

export interface ErrorContext {
  provider: string;
  model: string;
  /** What to check when the credential is refused. */
  cure: string;
  secrets: readonly string[];
  /** Milliseconds since 1970; for Retry-After dates. */
  nowMs: number;
}

interface Failure {
  status?: number;
  /** Machine-readable words: type and code. */
  code: string;
  param?: string;
  message: string;
  /** All that was said, never shown. */
  said: string;
  refusal?: Refusal;
  retryAfterMs?: number;
  /** Code or name of a network error somewhere among the causes. */
  network?: string;
  /** Name of the thrown error. */
  name: string;
  /** It was refused before it was read to its end. */
  isTooLarge?: boolean;
}

const wordings = {
  // Not plain "billing": texts of ordinary rate limits link to that page.
  quota:
    /insufficient_quota|billing_\w+|credit[_ ]balance|spend(ing)?[_ ]limit|exceeded your current quota|servicequotaexceeded/,
  // Google words a limit per minute as a used up quota; which of its limits was reached tells them apart.
  perMinute: /^(?!.*perday).*perminute/s,
  auth: /authentication_error|permission_error|invalid_api_key|invalid api key|unauthorized/,
  // Google and xAI say so with a 400.
  refusedKey: /api_key_invalid|(incorrect|invalid) api key|api key (not valid|expired|not found)/,
  unsupported: new RegExp(
    "unsupported|not supported|not permitted|not allowed|unknown|unrecognized|unexpected|deprecated|" +
      "invalid reasoning value|" +
      "(does not|doesn't|cannot|can't) (both |support|accept|be used)|extra inputs|extra_forbidden|incompatible|" +
      "may only be set",
  ),
  rate: /rate_limit|too_many_requests|too many requests/,
  // Servers of models say so with a 500, however often they are asked.
  lacking: /requires --jinja|image input is not supported/,
  missing: /not_found_error|model_not_found|not_found|does not exist/,
  // Hugging Face's router, with a 400.
  unserved: /is not supported by any provider/,
  // The model failed, not the request: it wrote a call that its own server refuses, or it is still being loaded.
  stumbled: /tool_use_failed|modelnotready/,
  overloaded: /overloaded|server_error|api_error|internal|unavailable|timeout_error|server_is_overloaded/,
} as const;

const networkCodes = new RegExp(
  "^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR|CERT_|DEPTH_ZERO|" +
    "SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)",
);
const networkMessages = /^(terminated|fetch failed|other side closed|network error|socket hang up)/i;
const garbageNames = /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated)Error$/;

/** Reads a thrown value. Never throws; a ModelError passes unchanged. */
export function toModelError(raw: unknown, context: ErrorContext): ModelError {
  if (raw instanceof ModelError) return raw;
  const failure = parseFailure(raw, context);
  const kind = classify(failure);
  const details: ModelErrorDetails = { kind, provider: context.provider };
  if (failure.retryAfterMs !== undefined) details.retryAfterMs = failure.retryAfterMs;
  if (failure.status !== undefined) details.status = failure.status;
  const named = kind === "unsupported_param" ? findParameter(`${failure.param ?? ""} ${failure.message}`) : undefined;
  if (named !== undefined) details.param = named.wireName;
  if (failure.refusal !== undefined) details.refusal = failure.refusal;
  const windowTokens = kind === "context_overflow" ? parseWindow(failure.said) : undefined;
  if (windowTokens !== undefined) details.windowTokens = windowTokens;
  // Causes of other kinds hold requests and bodies: prompts among them.
  if (kind === "network" && failure.name !== "AI_APICallError" && raw instanceof Error) details.cause = raw;
  const text = sentence(kind, failure, context, named?.wireName);
  return new ModelError(redact(`${context.provider}: ${text}`, context.secrets), details);
}

/** Anthropic says with a 400 that the credit is used up. */
const mayBeQuota: ReadonlySet<number | undefined> = new Set([undefined, 400, 403, 429]);

function classify(failure: Failure): ModelErrorKind {
  const { status } = failure;
  const words = `${failure.code} ${failure.message}`.toLowerCase();
  if (lacksCredential(failure)) return "auth";
  if (failure.network !== undefined && (status === undefined || status < 300)) return "network";
  if (failure.isTooLarge === true || garbageNames.test(failure.name)) return "invalid_response";
  const { refusal } = failure;
  // Neither waiting nor condensing helps: the account allows no request of this size.
  if (refusal?.what === "output-limit" && refusal.passing === true) return "quota";
  if (wordings.stumbled.test(words)) return "overloaded";
  if (status === 429 && wordings.perMinute.test(words)) return "rate_limit";
  if (status === 402 || (mayBeQuota.has(status) && wordings.quota.test(words))) return "quota";
  if (isOverflow({ status, text: failure.said })) return "context_overflow";
  if (refusal?.what === "output-limit") return "unsupported_param";
  if (status === 401 || status === 403 || wordings.auth.test(failure.code)) return "auth";
  if (status === 400 && wordings.refusedKey.test(words)) return "auth";
  if (status === 429 || wordings.rate.test(failure.code)) return "rate_limit";
  if (status === 408 || status === 425) return "network";
  // Bedrock's model failed while it answered.
  if (status === 424) return "overloaded";
  if (status !== undefined && status >= 500) return wordings.lacking.test(words) ? "invalid_request" : "overloaded";
  if (status === 404 || wordings.missing.test(failure.code) || wordings.unserved.test(words)) return "not_found";
  if ((status === 400 || status === 422) && namesRefusedParameter(failure, words)) return "unsupported_param";
  if (status === undefined && wordings.overloaded.test(words)) return "overloaded";
  return "invalid_request";
}

/** Bedrock's library found no region or no access keys. */
const lacksCredential = ({ name, message }: Failure) =>
  name === "AI_LoadSettingError" || message.startsWith("AWS SigV4 authentication requires");

const namesRefusedParameter = (failure: Failure, words: string): boolean =>
  wordings.unsupported.test(words) && findParameter(`${failure.param ?? ""} ${failure.message}`) !== undefined;

function sentence(kind: ModelErrorKind, failure: Failure, context: ErrorContext, param: string | undefined): string {
  const { model, cure } = context;
  const status = failure.status === undefined || failure.status < 300 ? "" : ` (${failure.status})`;
  const said = failure.message === "" ? "" : `: ${failure.message}`;
  switch (kind) {
    case "auth":
      // What providers say here may repeat parts of the key.
      return `${lacksCredential(failure) ? "no key, or no region" : `the key was refused${status}`}; ${cure}`;
    case "not_found":
      return `model '${model}' not found${status}${said}; check the model's name and the provider's baseUrl`;
    case "quota":
      if (failure.refusal !== undefined) {
        return `the account allows no request of this size${status}${said}; raise its limits, or lower request.maxTokens`;
      }
      return `the account's quota or credit is used up${status}; check its plan and billing`;
    case "rate_limit": {
      const wait = failure.retryAfterMs === undefined ? "later" : `in ${Math.ceil(failure.retryAfterMs / 1000)} s`;
      return `too many requests${status}; try again ${wait} or raise the limits of the account`;
    }
    case "overloaded":
      return `the provider failed${status}${said}; try again later`;
    case "context_overflow":
      return `the conversation is too long for model '${model}'${status}${said}`;
    case "unsupported_param":
      if (failure.refusal?.what === "output-limit") {
        const field = "modelCapabilities.maxOutputTokens or request.maxTokens";
        return `model '${model}' refuses the limit of its answer${status}${said}; set ${field} to what it takes`;
      }
      return `model '${model}' refuses ${param ?? "a parameter"}${status}${said}; remove it from the agent's request`;
    case "network":
      return `unreachable, or the connection was cut (${failure.network ?? `status ${failure.status}`}); check baseUrl and the network`;
    case "invalid_response":
      return `the answer is not one of the expected API; check kind and baseUrl of the provider`;
    case "invalid_request":
      if (failure.status !== undefined && failure.status >= 300 && failure.status < 400) {
        return `redirected${status}, which is not followed; set baseUrl to the final address`;
      }
      return `the request was refused${status}${said}`;
  }
}

function parseFailure(raw: unknown, { secrets, nowMs }: ErrorContext): Failure {
  // Redacted before it is cut: half a key is a secret too.
  const shown = (text: string) => tidy(redact(text, secrets));
  if (typeof raw === "string") return { code: "", name: "string", message: shown(raw), said: raw };
  if (!isRecord(raw)) return { code: "", name: typeof raw, message: "", said: "" };
  const name = typeof raw["name"] === "string" ? raw["name"] : "";
  const failure: Failure = { code: "", name, message: "", said: "" };
  const body = typeof raw["responseBody"] === "string" ? raw["responseBody"] : undefined;
  const fields = body === undefined ? parseErrorShape(raw["data"] ?? raw) : parseErrorBody(body);
  failure.code = [fields.type, fields.code, awsErrorType(raw["responseHeaders"])].filter(Boolean).join(" ");
  // Messages of the client library may quote what the model wrote; only what came from the provider is shown.
  const own = garbageNames.test(name) || body !== undefined ? "" : textOf(raw["message"]);
  failure.message = shown(fields.message ?? own);
  if (fields.param !== undefined) failure.param = fields.param;
  const status = [raw["statusCode"], raw["status"], Number(fields.code)].find(isStatus);
  if (status !== undefined) failure.status = status;
  const retryAfterMs = parseRetryAfter(raw["responseHeaders"], nowMs) ?? fields.retryAfterMs;
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  failure.isTooLarge = isTooLarge(raw);
  const network = findNetworkProblem(raw);
  if (network !== undefined) failure.network = network;
  failure.said = [fields.message ?? own, fields.param, failure.code].filter(Boolean).join(" ");
  const refusal = parseRefusal({ status, text: failure.said });
  if (refusal !== undefined) failure.refusal = refusal;
  return failure;
}

function parseRetryAfter(headers: unknown, nowMs: number): number | undefined {
  if (!isRecord(headers)) return undefined;
  const milliseconds = Number.parseFloat(textOf(headers["retry-after-ms"]));
  if (milliseconds >= 0) return milliseconds;
  const text = textOf(headers["retry-after"]);
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Bedrock's bodies have nothing but a message; the name may be followed by an address. */
const awsErrorType = (headers: unknown): string =>
  isRecord(headers) ? textOf(headers["x-amzn-errortype"]).replace(/:.*$/s, "") : "";

/** Code, or failing that the message, of a network error somewhere among the causes. */
export function findNetworkProblem(raw: unknown): string | undefined {
  let error = raw;
  let generic: string | undefined;
  for (let depth = 0; depth < maxCauseDepth && isRecord(error); depth += 1) {
    const code = textOf(error["code"]);
    const message = textOf(error["message"]);
    // Its code is our own, and its message says what of the URL to change.
    if (code === refusedAddressCode) return message;
    if (networkCodes.test(code)) return code;
    if (error instanceof TypeError && networkMessages.test(message)) generic = message;
    error = error["cause"];
  }
  return generic;
}

function tidy(text: string): string {
  const line = text
    .slice(0, maxMessageChars * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > maxMessageChars ? `${line.slice(0, maxMessageChars)}…` : line.replace(/\.$/, "");
}

/** An answer past its bounds, ours or those of all that goes out, somewhere among the causes. */
function isTooLarge(raw: unknown): boolean {
  let error = raw;
  for (let depth = 0; depth < maxCauseDepth && isRecord(error); depth += 1) {
    if (error["name"] === "AnswerTooLarge" || error["name"] === "ResponseLimitError") return true;
    error = error["cause"];
  }
  return false;
}

/** Takes secrets out of a text that is shown. */
function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === "" ? rest : rest.replaceAll(secret, "[redacted]")), text);
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 100 && value < 600;
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
