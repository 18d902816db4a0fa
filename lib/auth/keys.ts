// The issuer's keys, kept for a while: read again when they are old or when a token names one that is not among them, never
// more often than a pause allows. Without any keys nobody gets in; keys that were read are trusted through a short outage.
import { errors, type FlattenedJWSInput, type JWSHeaderParameters } from "jose";
import type { Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";
import type { KeySet } from "./discovery.ts";

export const keyTimes = {
  /** Read again after this. */
  freshMs: 10 * 60_000,
  /** Trusted for so long when they cannot be read again. */
  trustedMs: 60 * 60_000,
  /** Between two attempts, so that callers with invented key ids cannot make us a load on the issuer. */
  pauseMs: 15_000,
} as const;

/** No token can be checked now. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

export interface IssuerKeys {
  /** The key of a token, for jose. Rejects with KeysUnavailable, or jose's error when the issuer has no such key. */
  find(header?: JWSHeaderParameters, token?: FlattenedJWSInput): Promise<CryptoKey>;
  /** Resolves when there are keys to check by, to what was read last: another object when it was read again. Rejects with KeysUnavailable. */
  ready(): Promise<KeySet>;
  /** Why the keys could not be read the last time; undefined when they could. Tries again by itself. */
  observeTrouble(): string | undefined;
}

/** Keys of one issuer. Asks for them at once. */
export function createIssuerKeys(options: { fetchKeys: () => Promise<KeySet>; clock: Clock; log: Logger }): IssuerKeys {
  const { clock, log } = options;
  let kept: { set: KeySet; readAt: number } | undefined;
  let triedAt = -Infinity;
  let trouble: string | undefined;
  let running: Promise<void> | undefined;

  const read = async () => {
    triedAt = clock.now();
    try {
      kept = { set: await options.fetchKeys(), readAt: clock.now() };
      if (trouble !== undefined) log.info("keys of the issuer can be read again");
      trouble = undefined;
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
      log.warn({ err: error }, "keys of the issuer cannot be read");
    } finally {
      running = undefined;
    }
  };
  /** Joins the attempt under way, or makes one unless the last was just now. */
  const refresh = async () => {
    if (running === undefined && clock.now() - triedAt >= keyTimes.pauseMs) running = read();
    await running;
  };
  const isOlderThan = (ageMs: number) => kept === undefined || clock.now() - kept.readAt >= ageMs;
  const current = async () => {
    if (isOlderThan(keyTimes.freshMs)) await refresh();
    if (kept === undefined || isOlderThan(keyTimes.trustedMs)) {
      throw new KeysUnavailable(`the issuer's keys cannot be read now: ${trouble ?? "not tried yet"}`);
    }
    return kept;
  };

  void refresh();
  return {
    async find(header, token) {
      const known = await current();
      try {
        return await known.set(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        if (kept === undefined || kept === known) throw error;
        return await kept.set(header, token);
      }
    },
    ready: async () => (await current()).set,
    observeTrouble() {
      if (trouble !== undefined) void refresh();
      return trouble;
    },
  };
}
