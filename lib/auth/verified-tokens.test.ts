// What a token that was found good spares, and when it is checked again: never is it good for longer than its keys and its time.
import { createLocalJWKSet, type JWTPayload } from "jose";
import { describe, expect, it } from "vitest";
import { createLogger } from "../process/log.ts";
import { systemClock } from "../process/clock.ts";
import { createIssuerKeys, keyTimes } from "./keys.ts";
import { clusterIssuer, createClusterIssuer, renderAccountClaims, testAudience } from "./testing/cluster-issuer.ts";
import { createVerifyToken, maxVerifiedTokens } from "./verified-tokens.ts";

const trusted = { issuer: clusterIssuer, audiences: [testAudience] };
const log = createLogger({ logger: "test", level: "SILENT", destination: { write: () => undefined } });

async function start() {
  const issuer = await createClusterIssuer();
  const times = { nowMs: 0, wallMs: systemClock.wallNow(), fails: false };
  const clock = { ...systemClock, now: () => times.nowMs, wallNow: () => times.wallMs };
  const keys = createIssuerKeys({
    async fetchKeys() {
      if (times.fails) throw new Error("down");
      return createLocalJWKSet({ keys: [issuer.publicJwk()] });
    },
    clock,
    log,
  });
  let checks = 0;
  const find: typeof keys.find = (...given) => {
    checks += 1;
    return keys.find(...given);
  };
  const verify = createVerifyToken({ keys: { ...keys, find }, clock });
  return {
    issuer,
    times,
    sign: (changes: JWTPayload = {}) => issuer.sign(renderAccountClaims(clock, changes)),
    kindOf: async (token: string) => (await verify(token, trusted)).kind,
    checks: () => checks,
  };
}

describe("MGM-1 a token that was found good", () => {
  it("is checked once, and says the same each time", async () => {
    const { sign, kindOf, checks } = await start();
    const token = await sign();
    expect([await kindOf(token), await kindOf(token), await kindOf(await sign({ jti: "another" }))]).toEqual(
      Array.from({ length: 3 }, () => "valid"),
    );
    expect(checks()).toBe(2);
  });

  it("vouches for no other that has its signature", async () => {
    const { sign, kindOf } = await start();
    const [header, , signature] = (await sign()).split(".");
    const token = await sign();
    expect(await kindOf(token)).toBe("valid");
    const payload = Buffer.from(JSON.stringify({ ...renderAccountClaims(systemClock), sub: "root" })).toString(
      "base64url",
    );
    expect(await kindOf([header, payload, signature].join("."))).toBe("refused");
  });

  it("is checked again when the keys were read again, and refused when its own is gone", async () => {
    const { issuer, times, sign, kindOf, checks } = await start();
    const token = await sign();
    await kindOf(token);
    times.nowMs += keyTimes.freshMs;
    expect([await kindOf(token), checks()]).toEqual(["valid", 2]);
    await issuer.rotate("second");
    times.nowMs += keyTimes.freshMs;
    expect(await kindOf(token)).toBe("refused");
  });

  it("is good until its time ends, with the usual leeway, and no longer", async () => {
    const { times, sign, kindOf } = await start();
    const exp = Math.floor(times.wallMs / 1_000) + 60;
    const token = await sign({ exp });
    expect(await kindOf(token)).toBe("valid");
    times.wallMs = exp * 1_000 + 30_000 - 1;
    expect(await kindOf(token)).toBe("valid");
    times.wallMs += 1;
    expect(await kindOf(token)).toBe("refused");
  });

  it("cannot be judged while there are no keys to be had", async () => {
    const { times, sign, kindOf } = await start();
    const token = await sign();
    expect(await kindOf(token)).toBe("valid");
    times.fails = true;
    times.nowMs += keyTimes.trustedMs;
    expect(await kindOf(token)).toBe("unavailable");
  });

  it("is forgotten when so many others came after it, and a refused one is never kept", async () => {
    const { sign, kindOf, checks } = await start();
    const first = await sign({ jti: "first" });
    const others = await Promise.all(Array.from({ length: maxVerifiedTokens }, (_, at) => sign({ jti: `${at}` })));
    for (const token of [first, ...others.slice(1), first]) await kindOf(token);
    expect(checks()).toBe(maxVerifiedTokens);
    for (const token of [...others.slice(0, 1), first]) await kindOf(token);
    expect(checks()).toBe(maxVerifiedTokens + 2);
    const foreign = await sign({ aud: "another" });
    expect([await kindOf(foreign), await kindOf(foreign)]).toEqual(["refused", "refused"]);
    expect(checks()).toBe(maxVerifiedTokens + 4);
  });
});
