// Tokens whose signature was found good, so that the next request of the same caller does not cost another check, which is a
// quarter of a millisecond. A token is known by its hash, and counts for as long as the keys that it was checked by are the
// current ones and its own time has not ended; what refused a token is asked again each time.
import { createHash } from "node:crypto";
import type { Clock } from "../process/clock.ts";
import type { KeySet, TrustedIssuer } from "./discovery.ts";
import { KeysUnavailable, type IssuerKeys } from "./keys.ts";
import { leewayMs, verifyToken, type TokenVerdict } from "./token.ts";

/** Beyond it the one that was checked first is checked again. */
export const maxVerifiedTokens = 1_024;

export type VerifyToken = (
  token: string,
  trusted: Pick<TrustedIssuer, "issuer" | "audiences">,
) => Promise<TokenVerdict>;

interface Verified {
  verdict: Extract<TokenVerdict, { kind: "valid" }>;
  keySet: KeySet;
}

/** As `verifyToken`, by the keys of one issuer. Who is trusted may differ from call to call only as the keys do. */
export function createVerifyToken({ keys, clock }: { keys: IssuerKeys; clock: Clock }): VerifyToken {
  const verified = new Map<string, Verified>();
  return async (token, trusted) => {
    const keySet = await keys.ready().catch((error: unknown) => {
      if (error instanceof KeysUnavailable) return undefined;
      throw error;
    });
    const hash = createHash("sha256").update(token).digest("base64");
    const known = verified.get(hash);
    const nowMs = clock.wallNow();
    const endsAtMs = (known?.verdict.payload.exp ?? 0) * 1_000 + leewayMs;
    if (known !== undefined && known.keySet === keySet && nowMs < endsAtMs) return known.verdict;
    verified.delete(hash);
    const verdict = await verifyToken(token, trusted, keys, new Date(nowMs));
    if (verdict.kind !== "valid" || keySet === undefined) return verdict;
    verified.set(hash, { verdict, keySet });
    const [oldest] = verified.keys();
    if (verified.size > maxVerifiedTokens && oldest !== undefined) verified.delete(oldest);
    return verdict;
  };
}
