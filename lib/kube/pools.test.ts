import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCredentialSource, loadCredentials } from "./credentials.ts";
import { PoolCache } from "./pools.ts";
import { systemClock } from "../process/clock.ts";
import { silentLog } from "./testing/silent-log.ts";
import { listen } from "../process/http-server.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { KubeConfig } from "@kubernetes/client-node";

function configWith(fields: { caData?: string; token?: string; server?: string }): KubeConfig {
  const config = new KubeConfig();
  const { server = "https://127.0.0.1:6443/prefix/", token = "t", caData = "b25l" } = fields;
  config.loadFromClusterAndUser({ name: "c", server, caData, skipTLSVerify: false }, { name: "u", token });
  return config;
}

describe("connections are shared per TLS identity", () => {
  test("fault 22: another token shares them, another CA or server does not, and the old ones are retired", async () => {
    const cache = new PoolCache();
    onTestFinished(() => cache.close());
    const first = cache.for(await loadCredentials(configWith({})));
    expect(cache.for(await loadCredentials(configWith({ token: "rotated" })))).toBe(first);
    const second = cache.for(await loadCredentials(configWith({ caData: "dHdv" })));
    expect(second).not.toBe(first);
    expect([first.calls.closed, first.watches.closed]).toEqual([true, true]);
    expect(cache.for(await loadCredentials(configWith({ server: "https://127.0.0.1:6444" })))).not.toBe(second);
  });

  test("fault 11: one that idles is closed, however long a server's Keep-Alive header would keep it", async () => {
    const server = await listen(() => new Response(), { port: 0, hostname: "127.0.0.1", log: silentLog() });
    onTestFinished(async () => void (await server.close({ graceMs: 0 })));
    const cache = new PoolCache(50);
    onTestFinished(() => cache.close());
    const origin = `http://127.0.0.1:${server.port}`;
    const { calls } = cache.for({ ...(await loadCredentials(configWith({}))), origin });
    const answer = await calls.request({ method: "GET", path: "/" });
    expect(answer.headers["keep-alive"]).toBe("timeout=60");
    await answer.body.dump();
    expect(calls.stats.connected).toBe(1);
    await expect.poll(() => calls.stats.connected).toBe(0);
  });

  test("a server's path prefix is kept apart from its origin", async () => {
    const { origin, pathPrefix, headers } = await loadCredentials(configWith({ token: "with-break\n" }));
    expect([origin, pathPrefix]).toEqual(["https://127.0.0.1:6443", "/prefix"]);
    expect(headers["authorization"]).toBe("Bearer with-break");
  });
});

describe("credentials are kept for a while", () => {
  test("not a millisecond longer than told", async () => {
    const clock = new ManualClock();
    const config = configWith({ token: "one" });
    const source = createCredentialSource(config, clock, 10_000);
    const token = async () => (await source.current()).headers["authorization"];
    expect(await token()).toBe("Bearer one");
    config.users = [{ name: "u", token: "two" }];
    await clock.advance(9_999);
    expect(await token()).toBe("Bearer one");
    await clock.advance(1);
    expect(await token()).toBe("Bearer two");
  });

  test("a pod's token is read from its file each time, without the break at its end", async () => {
    const dir = await mkdtemp(join(tmpdir(), "pallas-token-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    const tokenFile = join(dir, "token");
    const config = configWith({});
    config.users = [{ name: "u", authProvider: { name: "tokenFile", config: { tokenFile } } }];
    for (const token of ["one", "two"]) {
      await writeFile(tokenFile, `${token}\n`);
      expect((await loadCredentials(config)).headers).toEqual({ authorization: `Bearer ${token}` });
    }
    config.users = [{ name: "u", token: "own", authProvider: { name: "tokenFile", config: { tokenFile } } }];
    expect((await loadCredentials(config)).headers).toEqual({ authorization: "Bearer own" });
    await rm(tokenFile);
    config.users = [{ name: "u", authProvider: { name: "tokenFile", config: { tokenFile } } }];
    await expect(loadCredentials(config)).rejects.toThrow(/ENOENT.*token/);
  });

  test("a failure is not kept", async () => {
    const config = configWith({});
    config.setCurrentContext("missing");
    const source = createCredentialSource(config, systemClock, 10_000);
    await expect(source.current()).rejects.toThrow(/"missing" names no cluster/);
    config.setCurrentContext("loaded-context");
    await expect(source.current()).resolves.toHaveProperty("origin", "https://127.0.0.1:6443");
  });
});
