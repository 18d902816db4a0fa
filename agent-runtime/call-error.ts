// The base of every error whose message is meant for the caller of send_message: one sentence a person can act on (AGT-7).
// Anything else that is thrown is logged and shown as an internal problem.

export class CallError extends Error {
  override readonly name: string = "CallError";
}

/** What the caller sent cannot be used: its mistake, and none of the agent's (MET-2). */
export class CallerError extends CallError {}

/** Somebody who operates the agent ended the call: no error of the agent's, and no mistake of its caller. */
export class AbortedRun extends CallError {
  override readonly name = "AbortedRun";

  constructor() {
    super("The call was aborted by somebody who operates this agent.");
  }
}

/** A policy, or somebody who was asked, ended the run for a call that it wanted to make (MGM-5): no error of the agent's either. */
export class DeniedRun extends CallError {
  override readonly name = "DeniedRun";
}
