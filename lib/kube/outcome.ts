// How a reconcile says that it cannot finish. The class decides when the key comes back, the `reason` is a stable word
// fit for a condition, an Event and a metric label. Any other error means "try again with back-off".

export interface OutcomeOptions {
  readonly reason: string;
  readonly message: string;
  readonly cause?: unknown;
}

/** Something outside must happen first; nothing is broken. The key comes back after `retryMs`, or on a change. */
export class Waiting extends Error {
  override readonly name: string = "Waiting";
  readonly reason: string;
  readonly retryMs: number;

  constructor(options: OutcomeOptions & { readonly retryMs: number }) {
    super(options.message, { cause: options.cause });
    this.reason = options.reason;
    this.retryMs = options.retryMs;
  }
}

/** Trying again cannot help: the key comes back only when something that it watches changes. */
export class Stalled extends Error {
  override readonly name: string = "Stalled";
  readonly reason: string;

  constructor(options: OutcomeOptions) {
    super(options.message, { cause: options.cause });
    this.reason = options.reason;
  }
}

/**
 * An object of the name that we need exists and is not ours. It is never touched. We may not be watching it, so the
 * key looks again from time to time.
 */
export class Conflict extends Waiting {
  override readonly name: string = "Conflict";

  constructor(options: { readonly message: string; readonly retryMs?: number; readonly cause?: unknown }) {
    super({ reason: "NameConflict", retryMs: 60_000, ...options });
  }
}
