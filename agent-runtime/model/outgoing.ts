// The fetch that everything sent to providers ends in: the guarded one of all programs (SEC-5). It is loaded with the first
// request, which an agent with a built-in model never makes.
import type { GuardedFetch } from "../../lib/outgoing/guarded-fetch.ts";

const connectTimeoutMs = 10_000;
/** Of one answer, or of one event of a stream. */
const maxResponseBytes = 64 * 1024 * 1024;

/** As client libraries want it. They send texts to URLs; anything else is refused rather than sent in part. */
export function openModelFetch(): typeof globalThis.fetch {
  let opening: Promise<GuardedFetch> | undefined;
  const open = async () => {
    const { createGuardedFetch } = await import("../../lib/outgoing/guarded-fetch.ts");
    return createGuardedFetch({ connectTimeoutMs, maxResponseBytes });
  };
  return async (input, { method = "GET", headers, body, signal } = {}) => {
    if (input instanceof Request || (typeof body !== "string" && body !== undefined && body !== null)) {
      throw new TypeError("a request to a provider is a URL, and a text where it has a body");
    }
    opening ??= open();
    return await (await opening).fetch(input, { method, headers, signal, ...(typeof body === "string" && { body }) });
  };
}
