// Whether a successful response to a JSON-RPC request can hold its answer: told by status and type, the same for calls and probes.
import { isEventStream } from "../process/event-stream.ts";

const maxQuotedTypeChars = 100;

/** What it is instead, in words that go on "answered with …"; undefined where it can. */
export function findFormProblem({ status, headers }: Response): string | undefined {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (status !== 202 && (isEventStream(headers) || type === "application/json")) return undefined;
  return `HTTP ${status} and ${status === 200 && type !== "" ? `the type ${type.slice(0, maxQuotedTypeChars)}` : "no result"}`;
}
