// The id of a request: what a proxy before us has called it, else a new one.
import { randomUUID } from "node:crypto";

export const requestIdHeader = "X-Request-Id";
/** Anything else could forge lines of a log. */
const saneRequestId = /^[\w.:-]{1,64}$/;

export const requestIdOf = (given: string | undefined): string =>
  given !== undefined && saneRequestId.test(given) ? given : randomUUID();
