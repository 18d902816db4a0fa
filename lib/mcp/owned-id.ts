// Ids of sessions: 128 random bits, and where callers are known, a second half that only fits the caller who opened it.
// So no other caller can use an id that leaked, and no table of owners has to outlive a restart.
import { createHash, randomBytes } from "node:crypto";
import type { Caller } from "./caller.ts";

const randomChars = 32;

/** A new id that is `caller`'s. */
export function mintOwnedId(caller: Caller): string {
  const random = randomBytes(randomChars / 2).toString("hex");
  return random + renderSeal(random, caller);
}

/** Whether `caller` may use `id`. One that was minted for a known caller is never anyone's. */
export function isOwnedBy(id: string, caller: Caller): boolean {
  return id.slice(randomChars) === renderSeal(id.slice(0, randomChars), caller);
}

// Not a secret: whoever knows an id but is another caller could compute another seal, to which no session belongs.
function renderSeal(random: string, caller: Caller): string {
  if (caller === "anyone") return "";
  return createHash("sha256").update(`${random}\n${caller.subject}`).digest("hex").slice(0, randomChars);
}
