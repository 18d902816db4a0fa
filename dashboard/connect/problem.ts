// What went wrong between the page and the gateway, as one kind of error that every view can show: a sentence, and whether it is
// the person's sign-in, their rights, or something that may pass. It keeps no token and no body.
import { ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
import * as z from "zod";
import { connectWords as words } from "../words/connect.ts";

/** `signed-out`: 401. `forbidden`: 403. `gone`: there is no such thing, or not for this person. `refused`: the gateway says why. */
export type ProblemKind = "signed-out" | "forbidden" | "gone" | "refused" | "unreachable" | "timeout" | "cancelled";

export class Problem extends Error {
  override readonly name = "Problem";
  readonly kind: ProblemKind;
  /** Of a JSON-RPC error or a tool's refusal: what the gateway sends beside the sentence. */
  readonly data: unknown;

  constructor(kind: ProblemKind, message: string, options?: ErrorOptions & { data?: unknown }) {
    super(message, options);
    this.kind = kind;
    this.data = options?.data;
  }
}

/** Codes of JSON-RPC for what is not there: of the 2025 era, and of the 2026 era. */
const goneCodes = [-32_002, -32_602];

const refusedBody = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
  message: z.string().optional(),
});

/** @param isSaid whether the gateway has a sentence for it: an error without one is of what stands before it, or of one that is coming up */
export function kindOfStatus(status: number, isSaid: boolean): ProblemKind {
  if (status === 401) return "signed-out";
  if (status === 403) return "forbidden";
  if (status === 404) return "gone";
  return status >= 500 && !isSaid ? "unreachable" : "refused";
}

/** Any error of a request, as a Problem. */
export function toProblem(error: unknown, signal?: AbortSignal): Problem {
  if (error instanceof Problem) return error;
  if (signal?.aborted === true) return fromAbort(signal.reason, error);
  if (error instanceof SdkHttpError) {
    const { status } = error;
    const message = status < 500 ? error.message : words.answered(status);
    return new Problem(kindOfStatus(status, false), message, { cause: error });
  }
  if (error instanceof ProtocolError) {
    if (error.data instanceof Problem) return error.data;
    const kind = goneCodes.includes(error.code) ? "gone" : "refused";
    return new Problem(kind, error.message, { cause: error, data: error.data });
  }
  return new Problem("unreachable", words.unreachable, { cause: error });
}

function fromAbort(reason: unknown, cause: unknown): Problem {
  const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return isTimeout
    ? new Problem("timeout", words.timeout, { cause })
    : new Problem("cancelled", words.cancelled, { cause });
}

/** The sentence in an error's body of REST, in either form that the gateway uses; undefined where there is none. */
export function readRefusal(body: unknown): string | undefined {
  const parsed = refusedBody.safeParse(body);
  if (!parsed.success) return undefined;
  const { error, message } = parsed.data;
  return message ?? (typeof error === "string" ? error : error.message);
}
