import { describe, expect, test } from "vitest";
import { createLogger } from "../process/log.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";
import { createClusterTokens } from "./cluster-tokens.ts";
import { keyTimes } from "./keys.ts";
import {
  clusterIssuer,
  createClusterIssuer,
  renderAccountClaims,
  renderOther,
  testAudience,
} from "./testing/cluster-issuer.ts";

async function start(prepare?: (server: Awaited<ReturnType<typeof createClusterIssuer>>) => void) {
  const clock = new ManualClock();
  const server = await createClusterIssuer();
  prepare?.(server);
  const log = createLogger({ logger: "test", level: "SILENT" });
  const tokens = createClusterTokens({ server, audience: testAudience, clock, log });
  const judge = async (claims = {}) => tokens.judge(await server.sign(renderAccountClaims(clock, claims)));
  return { clock, server, tokens, judge };
}

describe("MGM-1 a token of the cluster's issuer", () => {
  test("says account, pod and expiry", async () => {
    const { clock, judge } = await start();
    const expiresAtMs = clock.wallNow() + 600_000;
    const account = { issuer: clusterIssuer, namespace: "agents", name: "on-call", uid: "uid-on-call", expiresAtMs };
    expect(await judge()).toEqual({ kind: "account", account });
    const pod = { name: "a-1", uid: "pod-1" };
    expect(await judge(renderOther("agents", "on-call", "uid-on-call", pod))).toEqual({
      kind: "account",
      account: { ...account, pod },
    });
  });
});

describe("MGM-1 the keys of the cluster's issuer", () => {
  test("are asked for once for many tokens, and again when they are old", async () => {
    const { clock, server, judge } = await start();
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => judge()));
    expect(verdicts.every(({ kind }) => kind === "account")).toBe(true);
    await clock.advance(keyTimes.freshMs - 1);
    await judge();
    expect(server.asked).toEqual(["/.well-known/openid-configuration", "/openid/v1/jwks"]);
    await clock.advance(1);
    await judge();
    expect(server.asked).toHaveLength(4);
  });

  test("are asked for again for a key that is not known, after a pause, so that a rotation is noticed at once", async () => {
    const { clock, server, tokens, judge } = await start();
    await judge();
    await server.rotate("second");
    await clock.advance(keyTimes.pauseMs - 1);
    expect(await judge()).toMatchObject({ kind: "refused" });
    await clock.advance(1);
    expect(await judge()).toMatchObject({ kind: "account" });
    for (let n = 0; n < 100; n += 1) {
      const invented = await server.sign(renderAccountClaims(clock), { kid: `invented${n}` });
      expect(await tokens.judge(invented)).toMatchObject({ kind: "refused" });
    }
    expect(server.asked).toHaveLength(4);
  });

  test("hold while the API server is away, for an hour; after it nobody gets in, until it is back", async () => {
    const { clock, server, tokens, judge } = await start();
    await judge();
    server.breakWith(new Error("connection refused"));
    await clock.advance(keyTimes.trustedMs - 1);
    expect(await judge()).toMatchObject({ kind: "account" });
    expect(tokens.observeTrouble()).toContain("connection refused");
    await clock.advance(1);
    expect(await judge()).toMatchObject({ kind: "unavailable", why: expect.stringContaining("connection refused") });
    server.breakWith(undefined);
    await clock.advance(keyTimes.pauseMs);
    expect(await judge()).toMatchObject({ kind: "account" });
    expect(tokens.observeTrouble()).toBeUndefined();
  });

  test("that were out of reach at the start are asked for when somebody comes", async () => {
    const { clock, server, judge } = await start((issuer) => issuer.breakWith(new Error("no route")));
    expect(await judge()).toMatchObject({ kind: "unavailable" });
    server.breakWith(undefined);
    await clock.advance(keyTimes.pauseMs);
    expect(await judge()).toMatchObject({ kind: "account" });
  });

  test.each([
    ["no issuer", {}, { keys: [] }, "not issuer metadata"],
    ["no keys", { issuer: clusterIssuer }, { items: [] }, "no JSON Web Key Set"],
    [
      "more keys than any issuer has",
      { issuer: clusterIssuer },
      { keys: Array.from({ length: 201 }, () => ({ kty: "RSA" })) },
      "no JSON Web Key Set",
    ],
  ])("%s is trouble that is told", async (_name, metadata, keys, text) => {
    const { tokens } = await start((server) => {
      server.request = async ({ path }) => (path === "/openid/v1/jwks" ? keys : metadata);
    });
    await settle();
    expect(tokens.observeTrouble()).toContain(text);
  });
});
