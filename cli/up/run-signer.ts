// Who signs the tokens of a run's gateways for its agents, where no cluster does: one key pair, made anew for each run. The private
// half is in this process's memory and nowhere else; agents are told the public one.
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { TokenSigner } from "../../crds/run-config.ts";
import { systemClock } from "../../lib/process/clock.ts";

/**
 * Tokens last as long as the run, which is what ends them: agents stop with it, and the next run has another key. Whoever reads
 * such a file reads the token of the run beside it, which lasts as long and may do more; and a renewal could come too late on a
 * machine that was asleep.
 */
const lifetimeSeconds = 10 * 365 * 24 * 3_600;
const algorithm = "ES256";

export interface RunSigner {
  /** What agents are told. */
  readonly published: TokenSigner;
  sign(claims: { audience: string; subject: string }): Promise<string>;
}

export async function createRunSigner(): Promise<RunSigner> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const { kty = "EC", ...key } = await exportJWK(publicKey);
  const issuer = "pallas-up";
  return {
    published: { issuer, keys: [{ ...key, kty, alg: algorithm, use: "sig" }] },
    sign({ audience, subject }) {
      const nowSeconds = Math.floor(systemClock.wallNow() / 1_000);
      return new SignJWT()
        .setProtectedHeader({ alg: algorithm })
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience(audience)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + lifetimeSeconds)
        .sign(privateKey);
    },
  };
}
