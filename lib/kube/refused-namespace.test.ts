import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createController } from "./controller.ts";
import { createInformer } from "./informer.ts";
import { createKubeMetrics } from "./metrics.ts";
import type { RawObject } from "./object.ts";
import { createSource, selfKey } from "./source.ts";
import { answerStatus, FakeApiServer, widgetType } from "./testing/fake-api-server.ts";
import { createTransport } from "./transport.ts";
import { createLogger } from "../process/log.ts";

async function setUp(scope: { namespaces?: readonly string[] } = { namespaces: ["good", "gone"] }) {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  const lines: string[] = [];
  const log = createLogger({ logger: "test", level: "INFO", destination: { write: (line) => void lines.push(line) } });
  const registry = new Registry();
  const informer = createInformer<RawObject>({
    transport,
    type: widgetType,
    ...scope,
    parse: (raw) => raw,
    indexes: {},
    log,
    metrics: createKubeMetrics(registry),
    timing: { backoff: { initialMs: 2, maxMs: 20 } },
  });
  onTestFinished(async () => {
    await informer.stop();
    await transport.close();
    await fake.stop();
  });
  const refusals = (namespace: string) =>
    fake.exchanges.filter(({ path }) => path.includes(`/${namespace}/`) || namespace === "").length;
  return {
    fake,
    informer,
    log,
    refusals,
    names: () => informer.store.list().map(({ metadata }) => metadata.name),
    /** Answers so to everything in this namespace, or in all. */
    refuse: (namespace: string, code = 403) => {
      fake.intercept = ({ path }) =>
        path.includes(namespace === "" ? "/" : `/namespaces/${namespace}/`) ? answerStatus(code, "Refused") : undefined;
    },
    allow: () => (fake.intercept = () => undefined),
    logged: (text: string) => lines.filter((line) => line.includes(text)).map((line) => JSON.parse(line).level),
    metric: async (namespace = "gone") =>
      (await registry.getSingleMetric("kubernetes_watch_refused")?.get())?.values.find(
        ({ labels }) => labels["namespace"] === namespace,
      )?.value,
  };
}

describe("a namespace that the server refuses to show", () => {
  test.each([403, 404])("is passed over after three answers of %i, and told of once", async (code) => {
    const { fake, informer, refuse, refusals, names, logged, metric } = await setUp();
    refuse("gone", code);
    fake.put("a", {}, { namespace: "good" });
    informer.start();
    await informer.synced;
    expect(informer.hasSynced).toBe(true);
    expect(informer.ensureSynced("good")).toBeUndefined();
    expect(informer.ensureSynced("gone")).toBeInstanceOf(Promise);
    expect(names()).toEqual(["a"]);
    await vi.waitFor(() => expect(refusals("gone")).toBeGreaterThan(8));
    expect(logged("watch is refused")).toEqual(["WARNING"]);
    expect([await metric("gone"), await metric("good")]).toEqual([1, 0]);
  });

  test.each([
    ["two refusals are an authorizer that is late", 2, []],
    ["three are not", 3, ["WARNING"]],
  ])("%s", async (_title, count, expected) => {
    const { fake, informer, logged } = await setUp();
    let left = count;
    fake.intercept = ({ path }) => {
      if (!path.includes("/gone/") || left === 0) return undefined;
      left -= 1;
      return answerStatus(403, "Forbidden");
    };
    informer.start();
    await informer.ensureSynced("gone");
    expect(logged("watch is refused")).toEqual(expected);
  });

  test("is followed as soon as that is allowed", async () => {
    const { fake, informer, refuse, allow, names, logged, metric } = await setUp();
    refuse("gone");
    fake.put("b", {}, { namespace: "gone" });
    informer.start();
    await informer.synced;
    allow();
    await informer.ensureSynced("gone");
    expect(names()).toEqual(["b"]);
    expect(logged("watch is allowed again")).toEqual(["INFO"]);
    expect(await metric()).toBe(0);
  });

  test("keeps what was known of it, when it was shown before, and does not pass for live", async () => {
    const { fake, informer, refuse, names, metric } = await setUp();
    fake.put("b", {}, { namespace: "gone" });
    informer.start();
    await informer.synced;
    await vi.waitFor(() => expect(fake.openWatches).toBe(2));
    refuse("gone");
    fake.resetWatches();
    await vi.waitFor(async () => expect(await metric()).toBe(1));
    expect(names()).toEqual(["b"]);
    expect([informer.hasSynced, informer.ensureSynced("gone")]).toEqual([true, undefined]);
    fake.put("c", {}, { namespace: "good" });
    await vi.waitFor(() => expect(names()).toEqual(["b", "c"]));
    expect(informer.state.phase).toBe("degraded");
  });

  test.each([
    ["all of several", { namespaces: ["good", "gone"] }, 2],
    ["the whole cluster", {}, 1],
  ])("is not passed over when nothing would be left: %s", async (_title, scope, told) => {
    const { informer, refuse, refusals, logged } = await setUp(scope);
    refuse("");
    informer.start();
    await vi.waitFor(() => expect(refusals("")).toBeGreaterThan(12));
    expect(informer.hasSynced).toBe(false);
    expect(logged("watch is refused").length).toBe(told);
    expect(informer.state.message).toContain("Refused");
  });

  test("I3 its keys wait for it, those of the other namespaces do not", async () => {
    const { fake, informer, log, refuse, allow } = await setUp();
    // Of two kinds, one is shown.
    const shown = createSource({
      informer: { ...informer, hasSynced: true, ensureSynced: () => undefined },
      toKeys: () => ["good/a", "gone/b"],
    });
    const keys: string[] = [];
    const stop = new AbortController();
    const controller = createController({
      name: "widget",
      sources: [shown, createSource({ informer, toKeys: selfKey })],
      reconcile: async ({ key }) => {
        keys.push(key);
        return {};
      },
      log,
    });
    refuse("gone");
    fake.put("a", {}, { namespace: "good" });
    informer.start();
    const finished = controller.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await finished;
    });
    await informer.synced;
    fake.put("c", {}, { namespace: "good" });
    await vi.waitFor(() => expect(keys).toContain("good/c"));
    expect(keys).not.toContain("gone/b");
    allow();
    await vi.waitFor(() => expect(keys).toContain("gone/b"));
  });
});
