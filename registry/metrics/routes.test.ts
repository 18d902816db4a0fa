import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createMetrics } from "../../lib/process/metrics.ts";
import type { PallasRegistry } from "../registry.ts";
import { answerNothing, answerText, startAgentAdmin, type AgentAdmin } from "../testing/agent-admin.ts";
import { goExposition } from "../testing/expositions.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeEndpoint, makeInstance } from "../testing/resources.ts";
import { parseExposition } from "./exposition.ts";
import { renderLabels } from "./labels.ts";
import { maxScrapeBodyBytes, scrapeLimits } from "./routes.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function startAgents(...metrics: string[]): Promise<AgentAdmin[]> {
  const admins = await Promise.all(metrics.map((text) => startAgentAdmin(text)));
  for (const admin of admins) cleanups.push(() => admin.stop());
  return admins;
}

function serve(source: MemorySource, options = {}): PallasRegistry {
  const registry = makeRegistry(source, options);
  cleanups.push(() => registry.stop());
  registry.start();
  return registry;
}

/** Series as `name{labels}` → value. */
async function read(registry: PallasRegistry): Promise<Map<string, string>> {
  const answer = await ask(registry.app, "/metrics");
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const samples = parseExposition(await answer.text()).flatMap((family) => family.samples);
  const series = new Map(samples.map(({ name, labels, value }) => [`${name}${renderLabels(labels)}`, value]));
  expect(series.size).toBe(samples.length);
  return series;
}

const manySamples = (count: number) => Array.from({ length: count }, (_, at) => `a{x="${at}"} 1\n`).join("");

const manyTypes = (count: number) => Array.from({ length: count }, (_, at) => `# TYPE b${at} histogram\n`).join("");

const labelsOf = (agent: string, pod = `${agent}-1`) =>
  `{namespace="agents",pallas_instance="ouranos",agent="${agent}",pod="${pod}"}`;

describe("MET-1 GET /metrics", () => {
  it("has the registry's own series and every pod's, each with whose it is", async () => {
    const [research, coder] = await startAgents("calls_total 3\n", goExposition);
    if (research === undefined || coder === undefined) throw new Error("expected two agents");
    const endpoints = [makeEndpoint("research", research.url), makeEndpoint("coder", `${coder.url}/`)];
    const registry = serve(new MemorySource({ endpoints }));
    await vi.waitFor(async () => {
      const series = await read(registry);
      expect(series.get(`calls_total${labelsOf("research")}`)).toBe("3");
      expect(series.get(`process_cpu_seconds_total${labelsOf("coder")}`)).toBe("12.47");
      expect(series.get(`pallas_agent_scrape_up${labelsOf("coder")}`)).toBe("1");
      expect(series.get(`pallas_agent_scrape_duration_seconds${labelsOf("coder")}`)).toBeDefined();
    });
    const series = await read(registry);
    expect(series.get("pallas_up")).toBe("1");
    expect(series.has("process_cpu_seconds_total")).toBe(true);
  });

  it("asks 16 pods at once, however many hang", async () => {
    const [admin] = await startAgents("a 1\n");
    if (admin === undefined) throw new Error("expected an agent");
    admin.answers.metrics = answerNothing;
    const endpoints = Array.from({ length: 40 }, (_, at) => makeEndpoint("research", admin.url, `research-${at}`));
    serve(new MemorySource({ endpoints }), { scrapeTimeoutMs: 60_000 });
    const asked = () => admin.asked.filter((path) => path === "/metrics").length;
    await vi.waitFor(() => expect(asked()).toBe(16));
    await vi.waitFor(() => expect(admin.asked.length).toBeGreaterThan(16 + 40));
    expect(asked()).toBe(16);
  });

  it("a request asks no pod", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5); // the second scrape is in half an interval
    onTestFinished(() => void vi.restoreAllMocks());
    const [admin] = await startAgents("a 1\n");
    if (admin === undefined) throw new Error("expected an agent");
    const source = new MemorySource({ endpoints: [makeEndpoint("research", admin.url)] });
    const registry = serve(source, { scrapeIntervalMs: 60_000 });
    await vi.waitFor(async () => expect((await read(registry)).get(`a${labelsOf("research")}`)).toBe("1"));
    for (let times = 0; times < 5; times += 1) await read(registry);
    expect(admin.asked.filter((path) => path === "/metrics")).toHaveLength(1);
  });

  it.each([
    ["hangs", answerNothing],
    ["answers garbage", answerText("a 1\n<html>\n")],
    ["answers 500", answerText("a 1\n", 500)],
    ["has a body one byte over 2 MiB", answerText(`a 1\n#${" ".repeat(maxScrapeBodyBytes - 4)}`)],
    ["repeats a series", answerText("a 1\na 2\n")],
    ["has one sample too many", answerText(manySamples(scrapeLimits.samples + 1))],
    ["has one family too many", answerText(`a 1\n${manyTypes(scrapeLimits.families)}`)],
    ["has a line one character too long", answerText(`a 1\n#${"x".repeat(scrapeLimits.lineChars)}`)],
    [
      "gives a name of ours another type",
      answerText("# TYPE pallas_downstream_up counter\npallas_downstream_up 1\na 1\n"),
    ],
  ])("a pod that %s costs its own series only and shows as scrape_up 0", async (_, answer) => {
    const [good, bad] = await startAgents("a 1\n", "a 1\n");
    if (good === undefined || bad === undefined) throw new Error("expected two agents");
    const endpoints = [makeEndpoint("good", good.url), makeEndpoint("bad", bad.url)];
    const registry = serve(new MemorySource({ endpoints }));
    await vi.waitFor(async () => expect((await read(registry)).get(`a${labelsOf("bad")}`)).toBe("1"));
    bad.answers.metrics = answer;
    await vi.waitFor(async () => {
      const series = await read(registry);
      expect(series.get(`pallas_agent_scrape_up${labelsOf("bad")}`)).toBe("0");
      expect(series.has(`a${labelsOf("bad")}`)).toBe(false);
      expect(series.get(`a${labelsOf("good")}`)).toBe("1");
      expect(series.get(`pallas_agent_scrape_up${labelsOf("good")}`)).toBe("1");
      // Since its last good scrape, which may be long ago.
      const age = (agent: string) => Number(series.get(`pallas_agent_scrape_age_seconds${labelsOf(agent)}`));
      expect(age("good")).toBeGreaterThan(0);
      expect(age("bad")).toBeGreaterThan(age("good"));
    });
  });

  it("takes a body of exactly 2 MiB", async () => {
    const [admin] = await startAgents(`a 1\n#${" ".repeat(maxScrapeBodyBytes - 5)}`);
    if (admin === undefined) throw new Error("expected an agent");
    const registry = serve(new MemorySource({ endpoints: [makeEndpoint("big", admin.url)] }));
    await vi.waitFor(async () => expect((await read(registry)).get(`a${labelsOf("big")}`)).toBe("1"));
  });

  it("takes as many samples as a pod may have", async () => {
    const [admin] = await startAgents(manySamples(scrapeLimits.samples));
    if (admin === undefined) throw new Error("expected an agent");
    const registry = serve(new MemorySource({ endpoints: [makeEndpoint("big", admin.url)] }));
    await vi.waitFor(async () => {
      const own = [...(await read(registry)).keys()].filter((key) => key.startsWith("a{"));
      expect(own).toHaveLength(scrapeLimits.samples);
    });
  });

  it("the series of a vanished pod go at once", async () => {
    const [admin] = await startAgents("a 1\n");
    if (admin === undefined) throw new Error("expected an agent");
    const source = new MemorySource({ endpoints: [makeEndpoint("research", admin.url)] });
    const registry = serve(source);
    await vi.waitFor(async () => expect((await read(registry)).has(`a${labelsOf("research")}`)).toBe(true));
    source.set({ endpoints: [] });
    expect([...(await read(registry)).keys()].filter((key) => key.includes("research"))).toEqual([]);
  });

  it("merges what real processes of ours expose, pallas_up and pallas_agent_info once", async () => {
    const { body } = await createMetrics().render();
    const own = 'pallas_up 1\npallas_agent_info{agent="research",port="8080"} 1\n';
    const admins = await startAgents(body + own, body + own);
    const endpoints = admins.map(({ url }, at) => makeEndpoint("research", url, `research-${at}`));
    const agents = [makeAgent("research")];
    const registry = serve(new MemorySource({ instances: [makeInstance()], agents, endpoints }));
    await vi.waitFor(async () =>
      expect((await read(registry)).has(`nodejs_heap_size_total_bytes${labelsOf("research", "research-1")}`)).toBe(
        true,
      ),
    );
    const keys = [...(await read(registry)).keys()];
    expect(keys.filter((key) => /^pallas_(up|agent_info)/.test(key))).toHaveLength(2);
  });
});

describe("MET-2 pallas_agent_info", () => {
  it("is 1 for every configured agent, running or not, with the port of its published URL", async () => {
    const source = new MemorySource({
      instances: [
        makeInstance(),
        makeInstance({ externalUrl: { host: "puck.incus" } }, "outside"),
        makeInstance({ externalUrl: { template: "https://{agent}.example.com/mcp" } }, "public"),
      ],
      agents: [
        makeAgent("inside"),
        makeAgent("refused", { replicas: 2 }),
        makeAgent("reached", { port: 24_101, instanceRef: { name: "outside" } }),
        makeAgent("known", { instanceRef: { name: "public" } }),
      ],
    });
    const series = await read(serve(source));
    const info = (agent: string, port: number, instance: string) =>
      `pallas_agent_info{agent="${agent}",port="${port}",namespace="agents",pallas_instance="${instance}"}`;
    expect(series.get(info("inside", 8080, "ouranos"))).toBe("1");
    expect(series.get(info("refused", 8080, "ouranos"))).toBe("1");
    expect(series.get(info("reached", 24_101, "outside"))).toBe("1");
    expect(series.get(info("known", 443, "public"))).toBe("1");
    source.set({ agents: [] });
    expect([...series.keys()].filter((key) => key.startsWith("pallas_agent_info"))).toHaveLength(4);
  });
});

describe("pallas_agent_spec_replicas", () => {
  it("is what the resource asks for, 0 too", async () => {
    const source = new MemorySource({
      instances: [makeInstance()],
      agents: [makeAgent("usual"), makeAgent("asleep", { replicas: 0 })],
    });
    const series = await read(serve(source));
    const wanted = (agent: string) =>
      series.get(`pallas_agent_spec_replicas{namespace="agents",pallas_instance="ouranos",agent="${agent}"}`);
    expect([wanted("usual"), wanted("asleep")]).toEqual(["1", "0"]);
  });
});

describe("pallas_gateway_spec_replicas", () => {
  it("is what the instance asks for, and is not there for one without a gateway", async () => {
    const instances = [
      makeInstance({}, "ouranos"),
      makeInstance({ gateway: {} }, "gaia"),
      makeInstance({ gateway: { replicas: 0 } }, "asleep"),
    ];
    const series = await read(serve(new MemorySource({ instances })));
    const wanted = (instance: string) =>
      series.get(`pallas_gateway_spec_replicas{namespace="agents",pallas_instance="${instance}"}`);
    expect(["ouranos", "gaia", "asleep"].map(wanted)).toEqual([undefined, "1", "0"]);
  });
});

describe("MET-5 podMonitor mode", () => {
  it("asks no pod for series and serves its own only", async () => {
    const [admin] = await startAgents("a 1\n");
    if (admin === undefined) throw new Error("expected an agent");
    const source = new MemorySource({ endpoints: [makeEndpoint("research", admin.url)] });
    const registry = serve(source, { metricsMode: "podMonitor" });
    await vi.waitFor(() => expect(admin.asked).toContain("/health"));
    expect([...(await read(registry)).keys()].filter((key) => key.includes("research"))).toEqual([]);
    expect(admin.asked).not.toContain("/metrics");
  });
});
