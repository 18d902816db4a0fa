// How long a health check takes, and whom it asks how often: with twenty dead servers, a silent provider, a disk that hangs.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createAccessTokens } from "../access-tokens.ts";
import { connect2025 } from "../testing/client.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { renderTestConfig, renderTestServer } from "../testing/run-config.ts";
import { createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer } from "../testing/servers.ts";
import { observeProblems } from "./problems.ts";
import { createHealth } from "./health.ts";

const keep = keepUntilEnd();
const silentServers: Server[] = [];
afterEach(() => {
  for (const server of silentServers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that reads requests and never answers; `paths` are what it was asked. */
async function startSilent(): Promise<{ origin: string; paths: string[] }> {
  const paths: string[] = [];
  const server = createServer(({ url = "" }) => void paths.push(url));
  silentServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return { origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, paths };
}

async function measure<Result>(task: () => Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const startedAt = performance.now();
  const result = await task();
  return { result, tookMs: performance.now() - startedAt };
}

describe("HLT-3 HLT-4 a check of twenty servers", () => {
  test("takes a second at most when all are well", async () => {
    const servers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { url } = await keep(startToolServer({}));
        return renderTestServer(`alive-${index}`, url);
      }),
    );
    // The first check of a process also loads what all of them need.
    const [first, second] = [await keep(startAgent({ servers })), await keep(startAgent({ servers }))];
    await first.health.check();
    const { result, tookMs } = await measure(second.health.check);
    expect(result).toMatchObject({ status: "ok" });
    expect(tookMs).toBeLessThanOrEqual(1_000);
  });

  test("takes 3.5 s at most when they are dead, and asks each once for all who wait", async () => {
    const silent = await startSilent();
    const alive = await keep(startToolServer({}));
    const refusing = await startToolServer({});
    await refusing.stop();
    const names = Array.from({ length: 20 }, (_, index) => `dead-${index}`);
    const dead = names.map((name, index) =>
      renderTestServer(name, index % 2 === 0 ? refusing.url : `${silent.origin}/${name}`),
    );
    const models = createScriptedModels([]);
    models.preflight = () => new Promise(() => {});
    const agent = await keep(startAgent({ servers: [...dead, renderTestServer("alive", alive.url)] }, { models }));
    const client = await connect2025(agent.mcpUrl);
    const getHealth = () => client.callTool({ name: "get_health", arguments: {} });

    const callers = names.map(getHealth);
    const { result, tookMs } = await measure(agent.health.check);
    expect(tookMs).toBeLessThanOrEqual(3_500);
    await Promise.all(callers);
    expect(result).toMatchObject({
      status: "degraded",
      message: `Unreachable: ${names.join(", ")}; LLM: passthrough: no answer within 3 s`,
      providers: { passthrough: { ok: false, checkedAt: expect.any(String) } },
      downstreams: {
        alive: { ok: true, checkedAt: expect.any(String) },
        "dead-0": { ok: false, detail: expect.stringContaining("ECONNREFUSED"), checkedAt: expect.any(String) },
        "dead-1": { ok: false, detail: "no answer in 3000 ms", checkedAt: expect.any(String) },
      },
    });
    expect(silent.paths.toSorted()).toEqual(
      names
        .filter((_, index) => index % 2 === 1)
        .map((name) => `/${name}`)
        .toSorted(),
    );
    expect(alive.authorizations).toHaveLength(2); // initialize and DELETE
    await client.close();
  });
});

describe("HLT-4 a provider", () => {
  test("is asked again a minute after it was well, a quarter of a minute after it was not", async () => {
    const clock = new ManualClock();
    let asked = 0;
    let ok = false;
    const readSecret = async () => "none";
    const health = createHealth({
      config: renderTestConfig(),
      preflight: async () => {
        asked += 1;
        return { passthrough: { ok, checkedAt: "2026-01-01T00:00:00.000Z" } };
      },
      observeProblems: async () => [],
      observeLinks: async () => new Map(),
      observeSlowAnswers: () => undefined,
      observeToolsLeftOut: () => [],
      observeAuthTrouble: () => undefined,
      unset: [],
      sources: { readSecret, tokens: createAccessTokens({ readSecret, clock }), readGatewayToken: readSecret },
      slowProbeMs: 2_000,
      onReport: () => undefined,
      clock,
    });
    const checkAfter = async (ms: number) => {
      await clock.advance(ms);
      return { status: (await health.check()).status, asked };
    };
    expect(await checkAfter(0)).toEqual({ status: "degraded", asked: 1 });
    ok = true;
    expect(await checkAfter(14_999)).toEqual({ status: "degraded", asked: 1 });
    expect(await checkAfter(1)).toEqual({ status: "ok", asked: 2 });
    expect(await checkAfter(59_999)).toEqual({ status: "ok", asked: 2 });
    expect(await checkAfter(1)).toEqual({ status: "ok", asked: 3 });
  });
});

describe("HLT-2 a disk that hangs", () => {
  test("is an error after two seconds, not a check without an end", async () => {
    const clock = new ManualClock();
    const never = () => new Promise<never>(() => {});
    const problems = observeProblems({
      config: renderTestConfig(),
      readInstruction: async () => "be brief",
      readSecret: async () => "none",
      observeStoreProblem: never,
      isDraining: () => false,
      clock,
    });
    await setImmediate(); // until all but the disk have answered
    await clock.advance(2_000);
    expect(await problems).toEqual([
      expect.stringMatching(/^the disk of the session store gives no answer within 2 s/),
    ]);
  });
});
