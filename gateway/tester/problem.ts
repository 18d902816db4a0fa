// Why a request to the tester gets no answer, as status and sentence, and how what goes wrong with the tested server reads.
import { McpError, type McpErrorKind } from "../../lib/mcp/mcp-error.ts";
import { isReservedCode, policyCodes } from "../../lib/mcp/policy-error.ts";
import { defined } from "../../lib/process/defined.ts";
import { RestError } from "../rest/answers.ts";

const names = {
  400: "bad_request",
  403: "forbidden",
  404: "not_found",
  409: "not_active",
  415: "unsupported_media_type",
  422: "invalid",
  429: "too_many_requests",
  502: "server_error",
  503: "unavailable",
  504: "deadline_exceeded",
} as const;
type Status = keyof typeof names;

export class TesterProblem extends RestError {
  override readonly name = "RestError";

  /** @param options `code` is that of the JSON-RPC error that the tested server answered with */
  constructor(status: Status, message: string, options: ErrorOptions & { code?: number | undefined } = {}) {
    super(status, names[status], message, defined({ code: options.code }));
    if (options.cause !== undefined) this.cause = options.cause;
  }
}

const statusOf: Record<McpErrorKind, Status> = {
  unreachable: 502,
  timeout: 504,
  protocol: 502,
  cancelled: 503,
  unauthorized: 502,
  "session-lost": 502,
};

/** A fault of the tested server, in its own words too: who tries a server wants them. Anything else as it is. */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof McpError)) return error;
  const code = isReservedCode(error.code) ? policyCodes.policy_backend_reserved_misuse : error.code;
  return new TesterProblem(statusOf[error.kind], error.tell(), { cause: error, code });
}
