// What a failed write says about the resource it was for, in words for a condition.
import type { Reason } from "../crds/conditions.ts";
import { ApiError, TransportError } from "../lib/kube/api-error.ts";
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

/**
 * So many failures in a row, about five seconds of back-off, are no passing trouble of the server any more: a webhook
 * that is down answers 500 for every write of its kind, and only the resource's own status can say so.
 */
export const lastingFailures = 10;

/**
 * Undefined where nothing is known and the status stays as it was.
 * @param failures how often the same reconcile has failed before, in a row
 */
export function failureOf(error: Error, failures: number): Failure | undefined {
  const { message } = error;
  if (error instanceof Conflict) return { reason: "NameConflict", message, error };
  if (error instanceof RemovalFailed) return { reason: "ApiError", message, error };
  if (error instanceof Waiting) {
    const reason = waitingReasons[error.reason];
    // Any other waiting is for a cache that cannot be judged by.
    return reason && { reason, message, error };
  }
  const refused = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
  const answered = error instanceof ApiError || (error instanceof TransportError && error.timedOut);
  return refused || (answered && failures >= lastingFailures) ? { reason: "ApiError", message, error } : undefined;
}
