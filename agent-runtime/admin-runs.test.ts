// The calls of an agent on its admin port: seen and aborted by its gateway alone.
import { describe, expect, test, vi } from "vitest";
import { parseAbortReport, parseRunReport, runningOnly } from "../crds/runs.ts";
import { stopAfterEach } from "./testing/cleanup.ts";
import { ask } from "./testing/client.ts";
import { createTestGateway } from "./testing/gateway.ts";
import { createScriptedModels, waitForAbort } from "./testing/scripted-models.ts";
import { startAgent } from "./testing/servers.ts";

const started = stopAfterEach();

async function start() {
  const { readLive, sign } = await createTestGateway();
  const models = createScriptedModels([waitForAbort]);
  const agent = await startAgent({ gateway: true }, { models, readLive });
  started.push(agent);
  const request = async (method: string, path: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${agent.adminUrl}${path}`, { method, headers });
    return { status: response.status, text: await response.text() };
  };
  const own = `Bearer ${await sign()}`;
  const list = async () => parseRunReport((await request("GET", "/runs", own)).text, "tech-research").runs;
  return { agent, sign, request, own, list };
}

describe("MGM-3 the calls of an agent", () => {
  test("are listed, the oldest first, and one is aborted by its id without harm to the others", async () => {
    const { agent, own, list, request } = await start();
    expect(await list()).toEqual([]);
    const first = ask(agent.mcpUrl, { message: "one" });
    await vi.waitFor(async () => expect(await list()).toHaveLength(1));
    const second = ask(agent.mcpUrl, { message: "two" });
    await vi.waitFor(async () => expect(await list()).toHaveLength(2));
    const [oldest] = await list();
    expect(Date.parse(oldest?.startedAt ?? "")).toBeLessThanOrEqual(Date.now());
    expect(await request("DELETE", `/runs/${oldest?.id}`, own)).toMatchObject({ status: 204 });
    expect(await first).toMatchObject({ isError: true, text: expect.stringContaining("aborted by somebody") });
    expect(await list()).toMatchObject([{ id: expect.not.stringMatching(oldest?.id ?? "") }]);
    expect(await request("DELETE", `/runs/${oldest?.id}`, own)).toMatchObject({ status: 404 });
    expect(parseAbortReport((await request("DELETE", "/runs", own)).text)).toEqual({ aborted: 1 });
    expect(await second).toMatchObject({ isError: true });
    await vi.waitFor(async () => expect(await list()).toEqual([]));
  });

  test("that are aborted count as cancelled, not as errors", async () => {
    const { agent, own, list, request } = await start();
    const call = ask(agent.mcpUrl, { message: "one" });
    await vi.waitFor(async () => expect(await list()).toHaveLength(1));
    await request("DELETE", "/runs", own);
    await call;
    const { ended } = parseRunReport((await request("GET", "/runs", own)).text, "tech-research");
    expect(ended).toMatchObject([{ outcome: "cancelled", steps: 1, endedAt: expect.stringMatching(/^20.*Z$/) }]);
    const running = await request("GET", `/runs?${runningOnly}`, own);
    expect(parseRunReport(running.text, "tech-research").ended).toEqual([]);
    expect((await request("GET", "/metrics")).text).toContain(
      'pallas_send_message_total{agent="tech-research",outcome="cancelled"} 1',
    );
  });

  test.each([
    ["without a token", undefined],
    ["with an empty one", "Bearer "],
    ["with what is no token", "Bearer x.y.z"],
    ["with another scheme", "Basic eDp5"],
  ])("are nobody's %s", async (_what, authorization) => {
    const { request } = await start();
    for (const [method, path] of [
      ["GET", "/runs"],
      ["DELETE", "/runs"],
      ["DELETE", "/runs/x"],
      ["POST", "/compositor/mcp"],
    ] as const) {
      expect(await request(method, path, authorization)).toMatchObject({ status: 401 });
    }
  });

  test.each([
    ["of another account", { sub: "system:serviceaccount:agents:on-call" }],
    ["of another namespace", { sub: "system:serviceaccount:other:ouranos-gateway" }],
    ["for another instance", { aud: ["pallas-agents:agents/other"] }],
    ["for the gateway itself", { aud: ["pallas:agents/ouranos"] }],
    ["of another issuer", { iss: "https://elsewhere.example" }],
    ["that has expired", { exp: 1_000 }],
  ])("are not for a token %s", async (_what, changes) => {
    const { request, sign } = await start();
    expect(await request("GET", "/runs", `Bearer ${await sign(changes)}`)).toMatchObject({ status: 401 });
  });

  test("are not for a token that somebody else signed", async () => {
    const { request } = await start();
    const token = await (await createTestGateway()).sign();
    expect(await request("DELETE", "/runs", `Bearer ${token}`)).toMatchObject({ status: 401 });
  });

  test("are nobody's where the instance has no gateway", async () => {
    const without = await startAgent();
    const notYet = await startAgent({ gateway: true });
    started.push(without, notYet);
    const statusOf = async ({ adminUrl }: typeof without) => (await fetch(`${adminUrl}/runs`)).status;
    expect([await statusOf(without), await statusOf(notYet)]).toEqual([404, 404]);
  });
});
