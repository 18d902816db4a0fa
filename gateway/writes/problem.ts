// What the API server answered in place of a write, in a sentence for whoever asked for it. Pure.
import { ApiError } from "../../lib/kube/api-error.ts";
import type { RefusalKind } from "../state/state.ts";

interface Problem {
  kind: RefusalKind;
  message: string;
}

export function renderProblem(cause: unknown, word: string, name: string): Problem {
  const what = `${word} "${name}"`;
  if (!(cause instanceof ApiError)) {
    const message = `the API server gave no answer, so that nobody knows whether ${what} was written: look before you try again`;
    return { kind: "unanswered", message };
  }
  const { reason, status, message: words } = cause;
  if (reason === "AlreadyExists") {
    return {
      kind: "taken",
      message: `there is ${word === "agent" ? "an" : "a"} ${what} already: choose another name`,
    };
  }
  if (status === 404) return { kind: "gone", message: `${what} has been deleted meanwhile` };
  // All that the API server says when a test of a JSON Patch fails; what breaks a rule of the kind it names.
  const isAnother = status === 422 && words.includes("due to an error in our request");
  if (status === 409 || isAnother) {
    return { kind: "changed", message: `${what} has been changed or replaced meanwhile: look at it and try again` };
  }
  if (status === 403) {
    return { kind: "not-allowed", message: `the API server does not let this gateway write ${what}: ${words}` };
  }
  return { kind: "invalid", message: `the API server refused ${what}: ${words}` };
}
