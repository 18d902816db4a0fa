/**
 * Ids of sessions: 128 random bits, and where callers are known, a second half that only fits the caller who opened it.
 * So no other caller can use an id that leaked, and no table of owners has to outlive a restart.
 */
import { createHash, randomBytes } from "node:crypto";

const randomChars = 32;

/** A new id; `caller` is absent where nobody has to say who they are. */
export function mintOwnedId(caller?: string): string {
  const random = randomBytes(randomChars / 2).toString("hex");
  return caller === undefined ? random : random + renderSeal(random, caller);
}

/** Whether `caller` may use `id`. Anybody may where callers are not known. */
export function isOwnedBy(id: string, caller?: string): boolean {
  return caller === undefined || id.slice(randomChars) === renderSeal(id.slice(0, randomChars), caller);
}

// Not a secret: whoever knows an id but is another caller could compute another seal, to which no session belongs.
const renderSeal = (random: string, caller: string): string =>
  createHash("sha256").update(`${random}\n${caller}`).digest("hex").slice(0, randomChars);
