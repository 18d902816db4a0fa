// What tools, writes and REST refuse, in the one form that the `registry` tool answers with.
import { ToolRefused } from "../management/tools/tool.ts";
import { RestError } from "../rest/answers.ts";
import { WriteRefused, type RefusalKind } from "../state/state.ts";

const typeOfWrite: Readonly<Record<RefusalKind, ToolRefused["type"]>> = {
  "not-allowed": "forbidden",
  taken: "conflict",
  changed: "conflict",
  gone: "not_found",
  invalid: "invalid",
  unanswered: "unready",
};

const typeOfStatus = new Map<number, ToolRefused["type"]>([
  [400, "invalid"],
  [403, "forbidden"],
  [404, "not_found"],
  [409, "conflict"],
  [422, "invalid"],
  [429, "busy"],
]);

/** Undefined for what is no refusal. */
export function readRefusal(error: unknown): Pick<ToolRefused, "type" | "message"> | undefined {
  if (error instanceof ToolRefused) return error;
  if (error instanceof WriteRefused) return { type: typeOfWrite[error.kind], message: error.message };
  if (error instanceof RestError) return { type: typeOfStatus.get(error.status) ?? "unready", message: error.message };
  return undefined;
}
