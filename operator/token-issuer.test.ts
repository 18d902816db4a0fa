import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { LiveObject } from "../lib/kube/object.ts";
import { silentLog } from "../lib/kube/testing/silent-log.ts";
import { clusterIssuer, createClusterIssuer } from "../lib/auth/testing/cluster-issuer.ts";
import { ManualClock, settle } from "../lib/process/testing/manual-clock.ts";
import { kinds } from "../crds/kinds.ts";
import { configFiles } from "../crds/names.ts";
import { watching } from "../plan/parse-watched.ts";
import { instanceManifestOf } from "../plan/testing/resources.ts";
import { createTokenIssuer, issuerTimes } from "./token-issuer.ts";

const { parse } = watching(kinds.PallasInstance);
const instanceOf = (spec: object) =>
  parse(
    { ...instanceManifestOf(spec), metadata: { name: "o", namespace: "agents", uid: "u", resourceVersion: "1" } },
    undefined,
  );
const forbidden = new Error("HTTP 403: forbidden: cannot get path /openid/v1/jwks");

async function start(spec: object = { gateway: {} }) {
  const clock = new ManualClock();
  const server = await createClusterIssuer();
  const instances = [instanceOf(spec)];
  const onChange = vi.fn<() => void>();
  const log = silentLog();
  const issuer = createTokenIssuer({ server, instances: { list: () => instances }, onChange, clock, log });
  onTestFinished(() => issuer.stop());
  const observe = (uid = "agent", found?: LiveObject) => issuer.observe(uid, found);
  return { clock, server, instances, onChange, issuer, observe };
}

const liveConfig = (text: string): LiveObject =>
  Object.assign(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-live-config", uid: "c", resourceVersion: "1" } },
    { data: { [configFiles.live]: text } },
  );
const earlier = { issuer: "https://earlier.example", keys: [{ kty: "EC", kid: "old" }] };
const written = liveConfig(
  JSON.stringify({ schema: 1, severalPods: false, gateway: { ...earlier, audience: "a", subject: "s" } }),
);

describe("MGM-1 the cluster's issuer, for agents behind a gateway", () => {
  it("is read once for many agents, as the first one is looked at, and not before", async () => {
    const { server, observe, onChange } = await start();
    expect(server.asked).toEqual([]);
    const signer = { issuer: clusterIssuer, keys: [server.publicJwk()] };
    expect(await Promise.all([observe("a"), observe("b")])).toEqual([signer, signer]);
    expect(server.asked).toHaveLength(2);
    expect(onChange).not.toHaveBeenCalled();
  });

  it("is read again every hour, and others hear of other keys alone", async () => {
    const { clock, server, observe, onChange } = await start();
    await observe();
    await clock.advance(issuerTimes.freshMs - 1);
    expect(server.asked).toHaveLength(2);
    await clock.advance(1);
    expect([server.asked.length, onChange.mock.calls.length]).toEqual([4, 0]);
    await server.rotate("second");
    await clock.advance(issuerTimes.freshMs);
    expect(onChange).toHaveBeenCalledTimes(1);
    expect((await observe())?.keys).toEqual([server.publicJwk()]);
  });

  it("is the same in whatever order the API server lists the keys", async () => {
    const { clock, server, observe, onChange } = await start();
    const keys = [
      { kty: "RSA", kid: "a" },
      { kty: "RSA", kid: "b" },
    ];
    const answers = [keys, keys.toReversed()];
    server.request = async ({ path }) => (path === "/openid/v1/jwks" ? { keys: answers.shift() } : { issuer: "i" });
    await observe();
    await clock.advance(issuerTimes.freshMs);
    expect([answers, onChange.mock.calls.length]).toEqual([[], 0]);
  });

  it("is asked for no more once no instance has a gateway, and again when one has", async () => {
    const { clock, server, instances, observe } = await start();
    await observe();
    instances.splice(0, 1, instanceOf({}));
    await clock.advance(issuerTimes.freshMs * 3);
    expect([server.asked.length, clock.pending]).toEqual([2, []]);
    await observe();
    expect(server.asked).toHaveLength(4);
  });
});

describe("MGM-1 an issuer that cannot be read", () => {
  it("is said in a sentence with the cure, tried again by back-off, and keeps nobody waiting", async () => {
    const { clock, server, issuer, observe, onChange } = await start();
    server.breakWith(forbidden);
    expect(await observe()).toBeUndefined();
    expect(issuer.observeTrouble()).toMatch(/cannot be read, so that .*403.*system:service-account-issuer-discovery/);
    expect(onChange).toHaveBeenCalledTimes(1);
    for (let times = 0; times < 12; times += 1) await clock.advance(issuerTimes.maxRetryMs);
    expect(onChange).toHaveBeenCalledTimes(1);
    expect(server.asked.length).toBeGreaterThan(2 * 12);
    const [pending = 0] = clock.pending;
    expect(pending).toBeLessThanOrEqual(issuerTimes.maxRetryMs);
    server.breakWith(undefined);
    await clock.advance(issuerTimes.maxRetryMs);
    await settle();
    expect([issuer.observeTrouble(), onChange.mock.calls.length]).toEqual([undefined, 2]);
    expect((await observe())?.issuer).toBe(clusterIssuer);
  });

  it("leaves agents the keys that they have: those that were read, and after a start those of each one's own file", async () => {
    const { clock, server, observe } = await start();
    server.breakWith(forbidden);
    expect(await observe("told", written)).toEqual(earlier);
    // Caches forget the contents of what was judged.
    expect(await observe("told", { ...written, metadata: written.metadata })).toEqual(earlier);
    expect(await observe("told")).toEqual(earlier);
    expect(await observe("new")).toBeUndefined();
    expect(await observe("edited", liveConfig("{"))).toBeUndefined();
    server.breakWith(undefined);
    await clock.advance(issuerTimes.firstRetryMs);
    server.breakWith(forbidden);
    await clock.advance(issuerTimes.freshMs);
    expect((await observe("told"))?.issuer).toBe(clusterIssuer);
  });

  it("is asked no more after the stop", async () => {
    const { clock, server, issuer, observe } = await start();
    await observe();
    issuer.stop();
    await clock.advance(issuerTimes.freshMs * 2);
    expect(server.asked).toHaveLength(2);
  });
});
