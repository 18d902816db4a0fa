import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createApplier } from "./apply.ts";
import { createInformer } from "./informer.ts";
import { JudgedObjects } from "./judged-objects.ts";
import { identityOf, type KubeObject, type LiveMeta, type LiveObject } from "./object.ts";
import { Store } from "./store.ts";
import { answerJson, FakeApiServer, widgetType } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";

type Widget = LiveObject & { readonly spec?: object; readonly status?: object };

const desired = (spec: object = { color: "red" }) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "c", namespace: "default" },
  spec,
});

/** Keeps the status of a widget, and nothing else of its content. */
const slim = ({ status, ...live }: Widget): Widget => ({ ...identityOf(live), ...(status && { status }) });

async function setUp() {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  const start = async () => {
    const informer = createInformer<Widget>({
      transport,
      type: widgetType,
      parse: (raw) => raw,
      slim,
      indexes: {},
      log: silentLog(),
      timing: { backoff: { initialMs: 2, maxMs: 20 } },
    });
    onTestFinished(() => informer.stop());
    informer.start();
    await informer.synced;
    await vi.waitFor(() => expect(informer.state.phase).toBe("live"));
    const { judgements, store } = informer;
    const applier = createApplier({ transport, fieldManager: "t", hashAnnotation: "hash", log: silentLog() });
    const cached = () => store.get("default/c");
    const apply = async (object: KubeObject = desired()) => {
      const { signal } = new AbortController();
      const request = { type: widgetType, desired: object, live: cached(), judgements, ours: () => true, signal };
      return (await applier.apply(request)).action;
    };
    const shown = () => vi.waitFor(() => expect(cached()?.metadata.resourceVersion).toBe(fake.version));
    return { informer, apply, cached, shown, isWhole: () => cached()?.spec !== undefined };
  };
  onTestFinished(async () => {
    await transport.close();
    await fake.stop();
  });
  const edit = (change: object) => {
    const { metadata, ...fields } = fake.get("c") ?? { metadata: {} };
    fake.put("c", { ...fields, ...change }, { metadata });
  };
  return { fake, start, edit, writes: () => fake.seen("write").length };
}

/** A widget that is there, judged, and of which the cache keeps little. */
async function setUpJudged() {
  const scene = await setUp();
  const first = await scene.start();
  await first.apply();
  await first.shown();
  expect(first.isWhole()).toBe(false);
  return { ...scene, ...first };
}

describe("I13 what a cache keeps of an object that holds what is desired", () => {
  test("is what is read of it, from the write on, and nothing is written again", async () => {
    const { apply, cached, writes } = await setUpJudged();
    expect(cached()).not.toHaveProperty("spec");
    for (let i = 0; i < 5; i += 1) expect(await apply()).toBe("unchanged");
    expect(writes()).toBe(1);
  });

  test("goes on being read: a new status is no edit", async () => {
    const { apply, cached, edit, shown, isWhole, writes } = await setUpJudged();
    edit({ status: { ready: 1 } });
    await shown();
    expect([isWhole(), cached()?.status, await apply(), writes()]).toEqual([false, { ready: 1 }, "unchanged", 1]);
  });

  test("stays little over a new list, and over an edit that was undone", async () => {
    const { fake, apply, edit, shown, isWhole } = await setUpJudged();
    edit({ spec: { color: "blue" } });
    await shown();
    expect(isWhole()).toBe(true);
    edit({ spec: { color: "red" } });
    await shown();
    fake.put("d");
    fake.compact();
    fake.resetWatches();
    await vi.waitFor(() => expect(fake.seen("list")).toHaveLength(2));
    edit({ status: { ready: 2 } });
    await shown();
    expect([isWhole(), await apply()]).toEqual([false, "unchanged"]);
  });

  test("is everything after a start, until it is judged", async () => {
    const { start, writes } = await setUpJudged();
    const second = await start();
    expect(second.isWhole()).toBe(true);
    expect(await second.apply()).toBe("unchanged");
    expect([second.isWhole(), writes()]).toEqual([false, 1]);
  });
});

describe("OPR-5 what is known by a digest", () => {
  test.each([
    ["a field", { spec: { color: "green" } }],
    ["a field that nobody desired", { spec: { color: "red", size: 1 } }],
    ["the field that holds all", { spec: undefined }],
  ])("is whole again when %s is edited, and is judged", async (_title, change) => {
    const { apply, edit, shown, cached, fake } = await setUpJudged();
    edit(change);
    await shown();
    expect(cached()?.spec).toEqual(change.spec);
    const isForeign = change.spec !== undefined && "size" in change.spec;
    expect(await apply()).toBe(isForeign ? "unchanged" : "updated");
    expect(fake.get("c")?.["spec"]).toMatchObject({ color: "red" });
  });

  test("is written when something else is desired", async () => {
    const { apply, fake, shown, isWhole } = await setUpJudged();
    expect(await apply(desired({ color: "blue" }))).toBe("updated");
    expect(fake.get("c")?.["spec"]).toEqual({ color: "blue" });
    await shown();
    expect([isWhole(), await apply(desired({ color: "blue" }))]).toEqual([false, "unchanged"]);
  });

  test("is forgotten with the object: another of its name is judged anew", async () => {
    const { fake, shown, isWhole } = await setUpJudged();
    const { metadata, ...content } = fake.get("c") ?? { metadata: {} };
    fake.remove("c");
    fake.put("c", content, { metadata });
    await shown();
    expect(isWhole()).toBe(true);
  });

  test("includes the form that the server insists on, until somebody gives it another", async () => {
    const { fake, start, edit, writes } = await setUp();
    const { apply, shown, isWhole } = await start();
    const insist = (spec: object) =>
      fake.next.other.push((response, { body }) =>
        answerJson(response, 200, fake.put("c", { ...body, spec }, { metadata: { ...Object(body?.["metadata"]) } })),
      );
    insist({ color: "RED" });
    await apply();
    await shown();
    expect([isWhole(), await apply(), writes()]).toEqual([false, "unchanged", 1]);
    edit({ spec: { color: "Red" } });
    await shown();
    insist({ color: "RED" });
    expect(await apply()).toBe("updated");
  });
});

describe("an object that goes", () => {
  const setUpStore = (more: Partial<LiveMeta> = {}) => {
    const store = new Store<Widget, string>({ indexes: {}, onListenerError: () => undefined });
    const judged = new JudgedObjects(store, slim);
    const metadata = { name: "c", uid: "u", resourceVersion: "1", ...more };
    const live: Widget = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: {} };
    store.upsert(live);
    judged.judge(live, "hash");
    return { store, judged, live };
  };

  test("is forgotten when it is gone", () => {
    const { store, judged, live } = setUpStore();
    expect(judged.size).toBe(1);
    store.remove(live);
    expect(judged.size).toBe(0);
  });

  test("is kept whole while it is being deleted: what it held does not count any more", () => {
    const { store, judged, live } = setUpStore({ deletionTimestamp: "2026-11-22T10:00:00Z" });
    expect([store.get("c"), judged.heldBy(live), judged.admit(live)]).toEqual([live, undefined, live]);
  });
});
