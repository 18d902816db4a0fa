// What REST answers beside what was asked for: one form for all that goes wrong, who may ask what, and bodies that are read with a limit.
import type { Context, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { requireRole, type Role } from "../../lib/auth/roles.ts";
import { isJsonObject, type JsonRpcError } from "../../lib/mcp/json-rpc.ts";
import { isPolicyError, policyCodes } from "../../lib/mcp/policy-error.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { WriteRefused, type RefusalKind } from "../state/state.ts";

/** `error` is a word for programs, `message` a sentence for people. */
export class RestError extends Error {
  override readonly name = "RestError";
  readonly status: ContentfulStatusCode;
  readonly error: string;
  readonly more: object;

  constructor(status: ContentfulStatusCode, error: string, message: string, more: object = {}) {
    super(message);
    this.status = status;
    this.error = error;
    this.more = more;
  }
}

export const notFound = (id: string): RestError =>
  new RestError(404, "not_found", `there is no server "${shorten(id)}", or it is not for you to see`);
/** @param field as the body or query names it */
export const wrongField = (field: string, message: string): RestError =>
  new RestError(422, "invalid_field", `${field}: ${message}`, { field });

const shorten = (text: string): string => (text.length <= 100 ? text : `${text.slice(0, 100)}…`);

const refusals: Readonly<Record<RefusalKind, readonly [ContentfulStatusCode, string]>> = {
  "not-allowed": [403, "forbidden"],
  taken: [409, "conflict"],
  changed: [409, "conflict"],
  gone: [404, "not_found"],
  invalid: [422, "invalid"],
  unanswered: [502, "unanswered"],
};

const retryAfterSeconds = "5";

/** What a policy refused, and a server's misuse of the codes for it, as REST tells them. */
function renderPolicyError({ code, data = {} }: JsonRpcError, c: Context): Response {
  const { type, decision, reason } = data;
  const isMisuse = code === policyCodes.policy_backend_reserved_misuse;
  const isFault = code === policyCodes.policy_evaluator_error;
  const error = isMisuse || isFault ? type : "policy_denied";
  return c.json({ error, message: reason, decision, reason }, isMisuse ? 502 : 403);
}

/** For hono's onError; what it does not know is thrown on. */
export function renderError(error: Error, c: Context): Response {
  if (isPolicyError(error)) return renderPolicyError(error, c);
  if (error instanceof RestError) {
    const { status, error: word, message, more } = error;
    if (status === 429 || status === 503) c.header("Retry-After", retryAfterSeconds);
    return c.json({ error: word, message, ...more }, status);
  }
  if (error instanceof WriteRefused) {
    const [status, word] = refusals[error.kind];
    return c.json({ error: word, message: error.message }, status);
  }
  throw error;
}

export const needs = (role: Role): MiddlewareHandler<GatewayRoutes> =>
  async function roleGate(c, next) {
    const refusal = requireRole(c.get("caller"), role);
    if (refusal !== undefined) return c.json({ error: "forbidden", message: refusal.message }, refusal.status);
    await next();
    return undefined;
  };

/** Far beyond what any route needs, and nothing beside the limits of a pod. */
export const maxBodyBytes = 1024 * 1024;
const bodyBounds = { maxDepth: 64, maxStructure: 50_000 };

/** The JSON object that a request brings. */
export async function readObject(request: Request): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request);
  const problem = createJsonMeter(bodyBounds)(bytes);
  if (problem !== undefined) throw new RestError(400, "bad_request", `the body ${problem}`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new RestError(400, "bad_request", "expected a JSON object in UTF-8 as the body, found something else");
  }
  if (!isJsonObject(value)) {
    throw new RestError(400, "bad_request", "expected a JSON object as the body, found another JSON value");
  }
  return value;
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => new RestError(413, "too_large", `the body is larger than ${maxBodyBytes} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
