// What a caller gets who is not let in: a status, a sentence and headers, for whoever writes the answer in the form of its route.
import { renderChallenge, type Challenge } from "./challenge.ts";
import { keyTimes } from "./keys.ts";

export interface Refusal {
  readonly kind: "refused";
  /** 400: no single token in the one place for it. 401: none, or none that is good. 403: too little. 503: cannot be checked now. */
  readonly status: 400 | 401 | 403 | 503;
  /** Holds nothing of the token. */
  readonly message: string;
  /** To be sent with the answer: WWW-Authenticate with 400 and 401, Retry-After with 503. */
  readonly headers: Readonly<Record<string, string>>;
}

export const refuseMissing = (metadataUrl?: string): Refusal =>
  challenge(401, "Missing Authorization header", { metadataUrl });

/** `why` goes into the challenge alone. */
export const refuseInvalid = (why: string, metadataUrl?: string): Refusal =>
  challenge(401, "Invalid token", { error: "invalid_token", why, metadataUrl });

export const refuseMisplaced = (why: string, metadataUrl?: string): Refusal =>
  challenge(400, why, { error: "invalid_request", why, metadataUrl });

/** Sooner nothing would be read again. */
export const refuseUnchecked = (): Refusal => ({
  kind: "refused",
  status: 503,
  message: "tokens cannot be checked now, because what they are checked by cannot be read: try again later",
  headers: { "Retry-After": String(keyTimes.pauseMs / 1_000) },
});

function challenge(status: 400 | 401, message: string, facts: Challenge): Refusal {
  return { kind: "refused", status, message, headers: { "WWW-Authenticate": renderChallenge(facts) } };
}
