import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createEventRecorder } from "./events.ts";
import { createKubeMetrics } from "./metrics.ts";
import type { LiveObject } from "./object.ts";
import { answerJson, answerStatus, FakeApiServer, type Handler } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";

const collection = "/apis/events.k8s.io/v1/namespaces/default/events";
const accept: Handler = (response, { body }) => answerJson(response, 201, body);

function object(name = "a", namespace: string | null = "default"): LiveObject {
  const metadata = { name, uid: `uid-${name}`, resourceVersion: "1", ...(namespace === null ? {} : { namespace }) };
  const spec = { password: "do not send" };
  const live = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec };
  return live;
}

async function setUp() {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  const clock = new ManualClock();
  const registry = new Registry();
  const recorder = createEventRecorder({
    transport,
    component: "example.com/tester",
    instance: "tester-0",
    clock,
    log: silentLog(),
    metrics: createKubeMetrics(registry),
  });
  onTestFinished(async () => {
    const closed = recorder.close();
    await clock.advance(10_000);
    await closed;
    await transport.close();
    await fake.stop();
  });
  const record = (message = "it works", about = object()) => recorder.record(about, "Normal", "Working", message);
  const sent = () => fake.seen("write");
  const untilSent = (count: number) => vi.waitFor(() => expect(sent()).toHaveLength(count));
  const counted = (result: string) => async () => {
    const counter = await registry.getSingleMetric("kubernetes_events_total")?.get();
    return counter?.values.find(({ labels }) => labels["result"] === result)?.value;
  };
  return { fake, clock, recorder, record, sent, untilSent, counted };
}

describe("OPR-3 Events", () => {
  test("name the object, the reporter and the text, and nothing else of the object", async () => {
    const { fake, record, sent, untilSent } = await setUp();
    fake.next.other.push(accept);
    record();
    await untilSent(1);
    expect(sent()[0]).toMatchObject({ method: "POST", path: collection });
    expect(sent()[0]?.body).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f-]{36}$/), namespace: "default" },
      eventTime: expect.stringMatching(/\.\d{6}Z$/),
      reportingController: "example.com/tester",
      reportingInstance: "tester-0",
      action: "Reconcile",
      type: "Normal",
      reason: "Working",
      note: "it works",
      regarding: { apiVersion: "example.com/v1", kind: "Widget", name: "a", namespace: "default", uid: "uid-a" },
    });
  });

  test("of cluster-wide objects go to the namespace default", async () => {
    const { fake, record, sent, untilSent } = await setUp();
    fake.next.other.push(accept);
    record("text", object("c", null));
    await untilSent(1);
    expect(sent()[0]).toMatchObject({ path: collection, body: { metadata: { namespace: "default" } } });
  });

  test("hide what looks like a credential", async () => {
    const { fake, record, sent, untilSent } = await setUp();
    fake.next.other.push(accept);
    record("GET https://user:hunter2@example.com said 401 to Bearer abcdefghijkl");
    await untilSent(1);
    expect(sent()[0]?.body?.["note"]).toBe("GET https://[redacted]@example.com said 401 to Bearer [redacted]");
  });

  test.each([
    ["1,024 bytes stay", "x".repeat(1_024), "x".repeat(1_024)],
    ["1,025 bytes are cut", "x".repeat(1_025), `${"x".repeat(1_021)}…`],
    ["characters stay whole", "é".repeat(600), `${"é".repeat(510)}…`],
  ])("of a long text %s", async (_title, message, note) => {
    const { fake, record, sent, untilSent } = await setUp();
    fake.next.other.push(accept);
    record(message);
    await untilSent(1);
    expect(sent()[0]?.body?.["note"]).toBe(note);
  });
});

describe("the same again raises a count", () => {
  test("within 10 minutes by PATCH, afterwards as another Event", async () => {
    const { fake, clock, record, sent, untilSent, counted } = await setUp();
    fake.next.other.push(accept, accept, accept, accept);
    record();
    await untilSent(1);
    await expect.poll(counted("created")).toBe(1);
    await clock.advance(600_000);
    record();
    await expect.poll(counted("updated")).toBe(1);
    const name = String(Object(sent()[0]?.body?.["metadata"]).name);
    expect(sent()[1]).toMatchObject({
      method: "PATCH",
      path: `${collection}/${name}`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { series: { count: 2, lastObservedTime: expect.stringMatching(/\.\d{6}Z$/) } },
    });
    await clock.advance(600_001);
    record();
    await expect.poll(counted("created")).toBe(2);
    expect(sent()[2]?.body).not.toHaveProperty("series");
  });

  test.each<[string, (record: (message?: string, about?: LiveObject) => void) => void]>([
    ["another text", (record) => record("another")],
    ["another object", (record) => record("it works", object("b"))],
  ])("%s is another Event", async (_title, second) => {
    const { fake, record, counted } = await setUp();
    fake.next.other.push(accept, accept);
    record();
    second(record);
    await expect.poll(counted("created")).toBe(2);
  });

  test("while one waits to be sent, more are merged into it", async () => {
    const { fake, record, sent, untilSent, counted } = await setUp();
    const first = Promise.withResolvers<() => void>();
    fake.next.other.push((response, exchange) => first.resolve(() => accept(response, exchange)), accept);
    record("slow");
    const answer = await first.promise;
    for (let i = 0; i < 10; i += 1) record("fast");
    answer();
    await untilSent(2);
    expect(sent()[1]?.body).toMatchObject({ note: "fast", series: { count: 10 } });
    await expect.poll(counted("merged")).toBe(9);
  });

  test("an Event that the server has forgotten is made again", async () => {
    const { fake, record, sent, counted } = await setUp();
    fake.next.other.push(accept, answerStatus(404, "NotFound"), accept);
    record();
    await expect.poll(counted("created")).toBe(1);
    record();
    await expect.poll(counted("created")).toBe(2);
    expect(sent().map(({ method }) => method)).toEqual(["POST", "PATCH", "POST"]);
    expect(sent()[2]?.body).toMatchObject({ series: { count: 2 } });
  });
});

describe("Events never burden anyone", () => {
  test.each([
    [25, 0],
    [26, 1],
  ])("of %i at once about one object %i are dropped; others are not touched", async (count, dropped) => {
    const { fake, clock, record, counted } = await setUp();
    fake.next.other.push(...Array.from({ length: 30 }, () => accept));
    for (let i = 0; i < count; i += 1) record(`text ${i}`);
    record("text", object("b"));
    await expect.poll(counted("created")).toBe(26);
    await expect.poll(counted("dropped")).toBe(dropped);
    await clock.advance(300_000);
    record("one in five minutes");
    await expect.poll(counted("created")).toBe(27);
  });

  test.each([
    [1_000, 0],
    [1_001, 1],
  ])("of %i that wait %i are dropped", async (count, dropped) => {
    const { fake, record, untilSent, counted } = await setUp();
    fake.next.other.push(() => undefined);
    record("never answered", object("first"));
    await untilSent(1);
    for (let i = 0; i < count; i += 1) record("text", object(`o${i}`));
    await expect.poll(counted("dropped")).toBe(dropped);
  });

  test("a failure is tried again, three times in all, under one name", async () => {
    const { fake, clock, record, sent, untilSent, counted } = await setUp();
    fake.next.other.push(...Array.from({ length: 3 }, () => answerStatus(500, "InternalError")), accept);
    record();
    await untilSent(1);
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
    await clock.advance(500);
    await untilSent(2);
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
    await clock.advance(1_000);
    await expect.poll(counted("failed")).toBe(1);
    const names = sent().map(({ body }) => Object(body?.["metadata"]).name);
    expect(new Set(names).size).toBe(1);
    expect(names).toHaveLength(3);
    record();
    await expect.poll(counted("created")).toBe(1);
  });

  test("a lost answer does not make a second Event", async () => {
    const { fake, clock, record, untilSent, counted } = await setUp();
    fake.next.other.push((response) => response.destroy(), answerStatus(409, "AlreadyExists"));
    record();
    await untilSent(1);
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
    await clock.advance(500);
    await expect.poll(counted("created")).toBe(1);
  });

  test("a refusal is not tried again", async () => {
    const { fake, record, sent, counted } = await setUp();
    fake.next.other.push(answerStatus(403, "Forbidden"));
    record();
    await expect.poll(counted("failed")).toBe(1);
    expect(sent()).toHaveLength(1);
  });

  test("close sends what waits, for two seconds at most, and takes no more", async () => {
    const { fake, clock, recorder, record, untilSent, counted } = await setUp();
    fake.next.other.push(accept, () => undefined);
    record("sent");
    record("never answered");
    record("too late");
    const closed = recorder.close();
    record("after");
    await untilSent(2);
    await clock.advance(2_000);
    await closed;
    await expect.poll(counted("created")).toBe(1);
    await expect.poll(counted("failed")).toBe(1);
    await expect.poll(counted("dropped")).toBe(2);
  });
});
