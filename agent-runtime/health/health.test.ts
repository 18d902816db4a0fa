import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { healthReportSchema } from "../../crds/health.ts";
import { connect2025 } from "../testing/client.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "../testing/run-config.ts";
import { createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, type TestAgent } from "../testing/servers.ts";
import { createObserved } from "./observed.ts";
import { renderReport, type Observations } from "./report.ts";
import { createTurnTimes } from "./turn-times.ts";

const keep = keepUntilEnd();

const checkedAt = "2026-01-01T00:00:00.000Z";
const healthy: Observations = {
  problems: [],
  downstreams: [{ name: "a", reachable: true, latencyMs: 2_000, checkedAt }],
  providers: { openai: { ok: true, checkedAt } },
  activeProvider: "openai",
  unset: [],
};
const down = (name: string) => ({ name, reachable: false, latencyMs: 5, detail: "refused", checkedAt });
const failed = { ok: false, detail: "model 'x' not found", checkedAt };

describe("HLT-2 the verdict", () => {
  const cases: [string, Partial<Observations>, string, string | undefined][] = [
    ["all well, a probe of exactly 2 s included", {}, "ok", undefined],
    [
      "downstreams and the provider down",
      { downstreams: [down("a"), down("b")], providers: { openai: failed } },
      "degraded",
      "Unreachable: a, b; LLM: openai: model 'x' not found",
    ],
    [
      "a probe over 2 s",
      { downstreams: [{ name: "c", reachable: true, latencyMs: 2_001, checkedAt }] },
      "degraded",
      "Slow: c (2.0 s)",
    ],
    [
      "only a fallback's provider down",
      { providers: { openai: { ok: true, checkedAt }, other: failed } },
      "ok",
      undefined,
    ],
    [
      "as many tools left out as are named",
      { toolsLeftOut: ["a", "b", "c", "d", "e"] },
      "degraded",
      "Tools not offered to the model: a, b, c, d, e",
    ],
    [
      "one more",
      { toolsLeftOut: ["a", "b", "c", "d", "e", "f"] },
      "degraded",
      "Tools not offered to the model: a, b, c, d, e and 1 more",
    ],
    ["slow answers", { slowAnswerMs: 75_000 }, "degraded", "Slow answers: 75.0 s on average"],
    [
      "an unset variable",
      { unset: [{ variable: "KEY", place: "header Authorization of server a" }] },
      "degraded",
      "Unset: KEY (header Authorization of server a)",
    ],
    [
      "a fault of its own, before everything else",
      { problems: ["Draining: the agent is shutting down"], downstreams: [down("a")] },
      "error",
      "Draining: the agent is shutting down; Unreachable: a",
    ],
  ];
  test.each(cases)("%s", (_what, changes, status, message) => {
    const report = renderReport("echo", { ...healthy, ...changes }, { timestamp: checkedAt, slowProbeMs: 2_000 });
    expect(report).toMatchObject({ agent: "echo", status, timestamp: checkedAt });
    expect(report.message).toBe(message);
    expect(healthReportSchema.parse(report)).toEqual(report);
  });

  test("answers are slow when the latest five turns take over the threshold on average, for five minutes", async () => {
    const clock = new ManualClock();
    const times = createTurnTimes({ slowAnswerMs: 1_000, clock });
    for (let n = 0; n < 4; n += 1) times.add(2_000);
    expect(times.observeSlow()).toBeUndefined();
    times.add(2_000);
    expect(times.observeSlow()).toBe(2_000);
    await clock.advance(300_001);
    expect(times.observeSlow()).toBeUndefined();
    for (let n = 0; n < 5; n += 1) times.add(1_000);
    expect(times.observeSlow()).toBeUndefined();
  });

  test("a wall clock that is set changes neither how old an observation is nor the time of a turn", async () => {
    const clock = new ManualClock();
    const times = createTurnTimes({ slowAnswerMs: 1_000, clock });
    let count = 0;
    const observed = createObserved(async () => ++count, { keepMs: () => 5_000, clock });
    for (let n = 0; n < 5; n += 1) times.add(2_000);
    await observed.get();
    for (const byMs of [-3_600_000, 7_200_000]) {
      clock.setWall(byMs);
      expect(times.observeSlow()).toBe(2_000);
      expect(await observed.get()).toBe(1);
    }
    clock.setWall(-7_200_000);
    await clock.advance(300_001);
    expect(times.observeSlow()).toBeUndefined();
    expect(await observed.get()).toBe(2);
  });

  test("an observation is shared while it runs, kept for its time, and not kept when it fails", async () => {
    const clock = new ManualClock();
    let count = 0;
    const observed = createObserved(async () => ++count, { keepMs: () => 5_000, clock });
    expect(await Promise.all([observed.get(), observed.get()])).toEqual([1, 1]);
    await clock.advance(4_999);
    expect(await observed.get()).toBe(1);
    await clock.advance(1);
    expect(await observed.get()).toBe(2);
    const failing = createObserved(() => Promise.reject(new Error(`try ${++count}`)), { keepMs: () => 5_000, clock });
    await expect(failing.get()).rejects.toThrow("try 3");
    await expect(failing.get()).rejects.toThrow("try 4");
    expect(failing.last()).toBeUndefined();
  });
});

async function getHealth(agent: TestAgent): Promise<unknown> {
  const client = await connect2025(agent.mcpUrl);
  const { content } = await client.callTool({ name: "get_health", arguments: {} });
  await client.close();
  const [block] = content;
  return JSON.parse(block?.type === "text" ? block.text : "null");
}

const getAdmin = async (agent: TestAgent, path: string) => {
  const response = await fetch(`${agent.adminUrl}${path}`);
  return { status: response.status, body: await response.text() };
};

describe("HLT-1 HLT-3 get_health over the wire", () => {
  test("is ok with a timestamp and no message when all is reachable, and asks no model", async () => {
    const argos = await keep(startToolServer({}));
    const models = createScriptedModels([{ text: "x" }]);
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }, { models }));
    expect(await getHealth(agent)).toEqual({ status: "ok", timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(models.requests).toEqual([]);
  });

  test("names servers and sub-agents that are down and the failed provider; /readyz stays ready", async () => {
    const dead = await startToolServer({});
    await dead.stop();
    const models = createScriptedModels([]);
    models.preflightResult = { ...failed };
    const agents = [renderTestSubAgent("worker", dead.url)];
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", dead.url)], agents }, { models }));
    expect(await getHealth(agent)).toMatchObject({
      status: "degraded",
      message: "Unreachable: argos, worker; LLM: passthrough: model 'x' not found",
    });
    expect(await getAdmin(agent, "/readyz")).toMatchObject({ status: 200 });
    const metrics = await getAdmin(agent, "/metrics");
    expect(metrics.body).toContain('pallas_downstream_up{agent="tech-research",server="argos"} 0');
    expect(metrics.body).toContain('pallas_llm_provider_up{provider="passthrough"} 0');
    expect(metrics.body).toContain('pallas_agent_health_status{agent="tech-research"} 0.5');
  });

  test("a downstream that never answers is unreachable after 3 s, and callers share the wait", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address: AddressInfo | string | null = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const servers = ["a", "b"].map((name) => renderTestServer(name, `http://127.0.0.1:${port}/mcp`));
    const agent = await keep(startAgent({ servers }));
    const startedAt = performance.now();
    const verdicts = await Promise.all([agent.health.check(), agent.health.check()]);
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    expect(verdicts.map(({ message }) => message)).toEqual(["Unreachable: a, b", "Unreachable: a, b"]);
    silent.closeAllConnections();
    silent.close();
  });

  test("a missing instruction or model key is an error with its cure until the file appears, without a restart", async () => {
    const base = renderTestConfig();
    const agent = await keep(
      startAgent({
        instruction: { configMap: { name: "prompts", key: "research.md" } },
        providers: base.providers.map((provider) => ({ ...provider, apiKey: { name: "llm-keys", key: "openai" } })),
      }),
    );
    expect(await getHealth(agent)).toMatchObject({
      status: "error",
      message:
        'ConfigMap "prompts" has no readable key "research.md" for the instruction: create it in the agent\'s namespace; ' +
        'Secret "llm-keys" has no readable key "openai": create it in the agent\'s namespace',
    });
    expect(await getAdmin(agent, "/readyz")).toMatchObject({ status: 503, body: expect.stringContaining("prompts") });
    expect(await getAdmin(agent, "/livez")).toMatchObject({ status: 200 });
    for (const [folder, name, key] of [
      [agent.textsDir, "prompts", "research.md"],
      [agent.secretsDir, "llm-keys", "openai"],
    ] as const) {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, key), "content");
    }
    expect(await getHealth(agent)).toMatchObject({ status: "ok" });
    expect(await getAdmin(agent, "/readyz")).toMatchObject({ status: 200 });
    await rm(join(agent.textsDir, "prompts"), { recursive: true });
    expect(await getHealth(agent)).toMatchObject({ status: "error" });
  });

  test("on a laptop what is missing is said in words that are true there", async () => {
    const base = renderTestConfig();
    const agent = await keep(
      startAgent(
        {
          instruction: { configMap: { name: "prompts", key: "research.md" } },
          providers: base.providers.map((provider) => ({ ...provider, apiKey: { name: "llm-keys", key: "openai" } })),
        },
        { place: "local" },
      ),
    );
    expect(await getHealth(agent)).toMatchObject({
      status: "error",
      message: expect.stringMatching(/put the ConfigMap beside the manifests; .* into \.env or the environment$/),
    });
  });

  test("CFG-6 a model key that is the placeholder of a manifest is an error with its cure until it is written", async () => {
    const base = renderTestConfig();
    const agent = await keep(
      startAgent({
        providers: base.providers.map((provider) => ({ ...provider, apiKey: { name: "llm-keys", key: "openai" } })),
      }),
    );
    await mkdir(join(agent.secretsDir, "llm-keys"), { recursive: true });
    const write = (text: string) => writeFile(join(agent.secretsDir, "llm-keys", "openai"), text);
    await write("${OPENAI_API_KEY}\n");
    expect(await getHealth(agent)).toMatchObject({
      status: "error",
      message:
        'Secret "llm-keys" key "openai" holds the placeholder ${OPENAI_API_KEY}, which only local mode fills in: write the value itself',
    });
    await write("sk-${a}");
    expect(await getHealth(agent)).toMatchObject({ status: "ok" });
  });

  test("a server's missing secret makes that server unreachable, not the agent faulty", async () => {
    const argos = await keep(startToolServer({}));
    const headers = [{ name: "X-Key", secret: { name: "keys", key: "argos" } }];
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url, { headers })] }));
    const { body } = await getAdmin(agent, "/health");
    expect(healthReportSchema.parse(JSON.parse(body))).toMatchObject({
      status: "degraded",
      message: 'Unreachable: argos; Secret "keys" has no readable key "argos": create it in the agent\'s namespace',
      downstreams: {
        argos: { ok: false, detail: expect.stringContaining('Secret "keys" has no readable key "argos"') },
      },
    });
  });
});
