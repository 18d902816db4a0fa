// AGT-11 the issuer's keys over time: when they are read, and how long they are trusted.
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../process/clock.ts";
import { createLogger } from "../process/log.ts";
import { createIssuerKeys, keyTimes, KeysUnavailable } from "./keys.ts";

let jwk: JWK;
beforeAll(async () => {
  const { publicKey } = await generateKeyPair("ES256", { extractable: true });
  jwk = await exportJWK(publicKey);
});

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

function createFixture() {
  const state = { nowMs: 0, reads: 0, fails: false, kids: ["a"] };
  const keys = createIssuerKeys({
    async fetchKeys() {
      state.reads += 1;
      if (state.fails) throw new Error("https://id.example.com/keys answered with HTTP 500");
      return createLocalJWKSet({ keys: state.kids.map((kid) => ({ ...jwk, kid, alg: "ES256" })) });
    },
    clock: { ...systemClock, now: () => state.nowMs },
    log: createLogger({ logger: "test", level: "SILENT" }),
  });
  return { state, keys, find: (kid: string) => keys.find({ alg: "ES256", kid }) };
}

describe("AGT-11 keys of an issuer", () => {
  it("are read once for many tokens, and again when they are old", async () => {
    const { state, find } = createFixture();
    await Promise.all(Array.from({ length: 50 }, () => find("a")));
    state.nowMs = keyTimes.freshMs - 1;
    await find("a");
    expect(state.reads).toBe(1);
    state.nowMs = keyTimes.freshMs;
    await Promise.all([find("a"), find("a")]);
    expect(state.reads).toBe(2);
  });

  it("are read again for an unknown key, which may be a new one, but not more often than the pause allows", async () => {
    const { state, find } = createFixture();
    await find("a");
    state.kids = ["a", "b"];
    state.nowMs = keyTimes.pauseMs - 1;
    await expect(find("b")).rejects.toThrow("no applicable key");
    state.nowMs = keyTimes.pauseMs;
    await find("b");
    for (let n = 0; n < 100; n += 1) await expect(find(`invented${n}`)).rejects.toThrow("no applicable key");
    expect(state.reads).toBe(2);
  });

  it("are trusted through an outage, and no longer than an hour", async () => {
    const { state, keys, find } = createFixture();
    await find("a");
    state.fails = true;
    state.nowMs = keyTimes.freshMs;
    await find("a");
    expect(keys.observeTrouble()).toContain("HTTP 500");
    state.nowMs = keyTimes.trustedMs - 1;
    await find("a");
    state.nowMs = keyTimes.trustedMs;
    await expect(find("a")).rejects.toThrow(KeysUnavailable);
    state.fails = false;
    state.nowMs += keyTimes.pauseMs;
    await find("a");
    expect(keys.observeTrouble()).toBeUndefined();
  });

  it("that could not be read at the start are asked for again when somebody looks at the health", async () => {
    const { state, keys } = createFixture();
    await settle();
    state.fails = true;
    state.nowMs = keyTimes.freshMs;
    await keys.find({ alg: "ES256", kid: "a" });
    expect(keys.observeTrouble()).toBeDefined();
    expect(state.reads).toBe(2);
    state.fails = false;
    state.nowMs += keyTimes.pauseMs;
    keys.observeTrouble();
    await settle();
    expect(keys.observeTrouble()).toBeUndefined();
  });
});
