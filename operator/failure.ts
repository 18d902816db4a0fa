// What a failed write says about the resource it was for, in words for a condition.
import type { Reason } from "../crds/conditions.ts";
import { ApiError } from "../lib/kube/api-error.ts";
import { Conflict, Waiting } from "../lib/kube/outcome.ts";

/** A child that is not wanted any more is still there. Everything else was done; the removal is tried again. */
export class RemovalFailed extends Error {
  override readonly name = "RemovalFailed";

  /** @param child its kind and key */
  constructor(child: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${child} is not wanted any more, but could not be removed, which is tried again: ${why}`, { cause });
  }
}

const waitingReasons: Readonly<Record<string, Reason>> = {
  ChildTerminating: "Progressing",
  NamespaceTerminating: "NamespaceTerminating",
};

/** A failed write in the words of a condition. */
export interface Failure {
  readonly reason: Reason;
  readonly message: string;
  readonly error: Error;
}

/** Undefined where nothing is known and the status stays as it was. */
export function failureOf(error: Error): Failure | undefined {
  const { message } = error;
  if (error instanceof Conflict) return { reason: "NameConflict", message, error };
  if (error instanceof RemovalFailed) return { reason: "ApiError", message, error };
  if (error instanceof Waiting) {
    const reason = waitingReasons[error.reason];
    // Any other waiting is for a cache that cannot be judged by.
    return reason && { reason, message, error };
  }
  const refused = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
  return refused ? { reason: "ApiError", message, error } : undefined;
}
