import { afterEach, describe, expect, it, vi } from "vitest";
import type { HealthReport } from "../../crds/health.ts";
import type { PallasRegistry } from "../registry.ts";
import { answerText, makeReport, startAgentAdmin } from "../testing/agent-admin.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeEndpoint, makeInstance } from "../testing/resources.ts";
import { renderHealth } from "./report.ts";
import { healthSurface } from "./routes.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function serve(source: MemorySource): PallasRegistry {
  const registry = makeRegistry(source);
  cleanups.push(() => registry.stop());
  registry.start();
  return registry;
}

const openaiProvider = { name: "openai", kind: "openai" };

async function readHealth(registry: PallasRegistry) {
  const answer = await ask(registry.app, "/healthz");
  expect(answer.status).toBe(200);
  return answer.json();
}

describe("HLT-5 GET /healthz", () => {
  it("has the providers' validation of each instance, from the agents' reports", async () => {
    const openai = { ok: false, detail: "model 'x' not found", checkedAt: "2026-11-21T10:00:00Z" };
    const admin = await startAgentAdmin("", makeReport({ status: "degraded", message: "x", providers: { openai } }));
    cleanups.push(() => admin.stop());
    const source = new MemorySource({
      instances: [makeInstance({ providers: [openaiProvider] }), makeInstance({}, "silent")],
      endpoints: [makeEndpoint("research", admin.url)],
    });
    const registry = serve(source);
    await vi.waitFor(async () =>
      expect((await readHealth(registry)).instances).toEqual([
        { namespace: "agents", name: "ouranos", providers: { openai }, pods: { known: 1, reporting: 1 } },
        { namespace: "agents", name: "silent", providers: {}, pods: { known: 0, reporting: 0 } },
      ]),
    );
  });

  it.each(["{}", "no JSON", `{"agent":"${"x".repeat(300_000)}"}`])(
    "an agent whose report is faulty is a pod that does not report (%#)",
    async (body) => {
      const admin = await startAgentAdmin();
      cleanups.push(() => admin.stop());
      admin.answers.health = answerText(body);
      const endpoints = [makeEndpoint("research", admin.url)];
      const registry = serve(new MemorySource({ instances: [makeInstance()], endpoints }));
      await vi.waitFor(async () =>
        expect((await readHealth(registry)).instances[0].pods).toEqual({ known: 1, reporting: 0 }),
      );
    },
  );

  it("CAT-2 tells slug conflicts, resources that do not parse, and a source that is behind, with 200", async () => {
    const other = makeInstance();
    const source = new MemorySource({
      instances: [makeInstance(), { ...other, metadata: { ...other.metadata, namespace: "other" } }],
      agents: [makeAgent("a"), makeAgent("a", {}, { namespace: "other" })],
      unreadable: ["PallasAgent agents/bad: UnknownField at spec.scop"],
      state: { phase: "degraded", since: Date.UTC(2026, 0, 1), message: "no answer" },
    });
    const registry = serve(source);
    await vi.waitFor(async () =>
      expect(await readHealth(registry)).toMatchObject({
        status: "degraded",
        source: { resources: { state: "degraded", since: "2026-01-01T00:00:00.000Z" } },
        slugConflicts: [{ slug: "a", kept: "agents/a", leftOut: "other/a" }],
        unreadable: ["PallasAgent agents/bad: UnknownField at spec.scop"],
      }),
    );
  });
});

const state = { phase: "live", since: 0 } as const;

describe("SEC-6 bounds of /healthz", () => {
  it("lists the first 100 problems of a kind and says nothing of why a source is behind", () => {
    const render = (count: number) =>
      renderHealth({
        state: { ...state, phase: "degraded", message: "/home/someone/state.json is not JSON" },
        endpointState: state,
        instances: [],
        pods: [],
        conflicts: [],
        unreadable: Array.from({ length: count }, (_, at) => `PallasAgent agents/a-${at}`),
      });
    expect(render(100).unreadable).toHaveLength(100);
    expect(render(101).unreadable).toHaveLength(100);
    expect(JSON.stringify(render(1))).not.toContain("someone");
  });
});

describe("HLT-5 the status of /healthz", () => {
  it.each([
    ["live", "live", "ok"],
    ["degraded", "live", "degraded"],
    ["live", "degraded", "degraded"],
    ["live", "starting", "degraded"],
    ["starting", "live", "starting"],
    ["starting", "degraded", "starting"],
  ] as const)("resources %s and endpoints %s: %s", (resources, endpoints, status) => {
    const facts = { instances: [], pods: [], conflicts: [], unreadable: [] };
    const endpointState = { ...state, phase: endpoints };
    expect(renderHealth({ ...facts, state: { ...state, phase: resources }, endpointState }).status).toBe(status);
  });
});

const merge = (...providers: HealthReport["providers"][]) =>
  renderHealth({
    state,
    endpointState: state,
    instances: [makeInstance({ providers: ["a", "b", "c"].map((name) => ({ name, kind: "openai" })) })],
    pods: providers.map((each, at) => ({
      endpoint: makeEndpoint("research", "http://10.0.0.1", `pod-${at}`),
      report: makeReport({ providers: each }),
    })),
    conflicts: [],
    unreadable: [],
  }).instances[0]?.providers;
const part = (ok: boolean, hour: number) => ({ ok, checkedAt: `2026-11-21T1${hour}:00:00Z` });

describe("HLT-5 merging reports", () => {
  it("one agent's failure outweighs others' success, whatever the order", () => {
    expect(merge({ a: part(true, 2) }, { a: part(false, 1) })).toEqual({ a: part(false, 1) });
    expect(merge({ a: part(false, 1) }, { a: part(true, 2) })).toEqual({ a: part(false, 1) });
  });

  it("among equals the latest counts, and providers of all agents are there", () => {
    expect(merge({ a: part(true, 1), c: part(true, 1) }, { a: part(true, 2), b: part(true, 1) })).toEqual({
      a: part(true, 2),
      b: part(true, 1),
      c: part(true, 1),
    });
  });
});

describe("SEC-6 a pod that reports too much", () => {
  it("says nothing of providers that the instance does not have, and little of those it has", () => {
    expect(
      merge({ a: part(true, 1), constructor: part(false, 1), d: part(false, 1), passthrough: part(true, 1) }),
    ).toEqual({
      a: part(true, 1),
      passthrough: part(true, 1),
    });
    const told = (detail: string) => merge({ a: { ...part(false, 1), detail } })?.["a"]?.detail;
    expect(told("x".repeat(500))).toBe("x".repeat(500));
    expect(told("x".repeat(501))).toBe(`${"x".repeat(500)}…`);
  });
});

describe("SEC-6 GET /healthz is made at most once a second", () => {
  it("however many ask", async () => {
    const source = new MemorySource();
    const instances = vi.spyOn(source, "instances");
    const { app } = healthSurface({ source, visits: () => [], conflicts: () => [], observeUnready: () => undefined });
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(app, "/healthz")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers[0]?.headers.get("content-type")).toBe("application/json");
    expect(instances).toHaveBeenCalledTimes(1);
  });
});

describe("HLT-5 probes", () => {
  it("live from the start, ready after the sync, not ready while draining but still serving", async () => {
    const source = new MemorySource({ state: { phase: "starting", since: 0 } });
    const registry = serve(source);
    const status = async (path: string) => (await ask(registry.app, path)).status;
    expect([await status("/livez"), await status("/readyz"), await status("/healthz")]).toEqual([200, 503, 200]);
    expect((await readHealth(registry)).status).toBe("starting");
    source.set({ state: { phase: "live", since: 0 } });
    await vi.waitFor(async () => expect(await status("/readyz")).toBe(200));
    source.set({ state: { phase: "degraded", since: 0 } });
    expect(await status("/readyz")).toBe(200);
    registry.setDraining();
    expect([await status("/livez"), await status("/readyz")]).toEqual([200, 503]);
    expect(await status("/.well-known/mcp/server.json")).toBe(200);
  });
});
