import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createInformer, type InformerOptions } from "./informer.ts";
import type { RawObject } from "./object.ts";
import { defaultReflectorTiming, type ReflectorTiming } from "./reflector.ts";
import { answerStatus, FakeApiServer, widgetType, type Handler } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";

/** Short enough for tests; the order of events is what counts. */
const quick: Partial<ReflectorTiming> = {
  backoff: { initialMs: 2, maxMs: 20 },
  healthyAfterMs: 10_000,
  inactivityMs: 5_000,
};

async function setUp(options: Partial<InformerOptions<RawObject, never>> = {}) {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  const informer = createInformer<RawObject>({
    transport,
    type: widgetType,
    parse: (raw) => raw,
    indexes: {},
    log: silentLog(),
    timing: quick,
    ...options,
  });
  onTestFinished(async () => {
    await informer.stop();
    await transport.close();
    await fake.stop();
  });
  const names = () =>
    informer.store
      .list()
      .map((object) => object.metadata.name)
      .toSorted();
  const changes: string[] = [];
  informer.store.onChange((change) => {
    const { metadata } = change.type === "deleted" ? change.previous : change.object;
    changes.push(`${change.type} ${metadata.name}`);
  });
  const live = () => vi.waitFor(() => expect(fake.openWatches).toBe(1));
  return { fake, informer, names, changes, live };
}

const reset: Handler = (response) => response.destroy();

describe("list and watch", () => {
  test("lists in pages, then follows changes, with bookmarks and a server-side end", async () => {
    const { fake, informer, names, changes, live } = await setUp({ pageSize: 2, labelSelector: "app=x" });
    const put = (name: string, fields = {}) => fake.put(name, fields, { metadata: { labels: { app: "x" } } });
    for (const name of ["a", "b", "c", "d", "e"]) put(name);
    informer.start();
    await informer.synced;
    expect(names()).toEqual(["a", "b", "c", "d", "e"]);
    expect(fake.seen("list")).toHaveLength(3);
    const [first] = fake.seen("list");
    expect(first?.query.has("resourceVersion")).toBe(false);
    await live();
    put("a", { color: "blue" });
    fake.remove("b");
    put("f");
    await vi.waitFor(() => expect(changes.slice(5)).toEqual(["modified a", "deleted b", "added f"]));
    const query = fake.seen("watch")[0]?.query;
    expect(query?.get("allowWatchBookmarks")).toBe("true");
    expect(query?.get("labelSelector")).toBe("app=x");
    expect(Number(query?.get("timeoutSeconds"))).toBeGreaterThanOrEqual(300);
    expect(Number(query?.get("timeoutSeconds"))).toBeLessThanOrEqual(600);
    expect(informer.state.phase).toBe("live");
  });

  test("each version is read with the one before it at hand", async () => {
    const seen: string[] = [];
    const { fake, informer, live } = await setUp({
      parse(raw, previous) {
        seen.push(`${previous?.metadata.resourceVersion ?? "none"} ${raw.metadata.resourceVersion}`);
        return raw;
      },
    });
    const first = fake.put("a").metadata.resourceVersion;
    informer.start();
    await live();
    const second = fake.put("a", { color: "blue" }).metadata.resourceVersion;
    await vi.waitFor(() => expect(seen).toEqual([`none ${first}`, `${first} ${second}`]));
  });

  test("I13 managedFields are dropped, and items of lists get their kind", async () => {
    const { fake, informer, live } = await setUp();
    fake.put("listed");
    informer.start();
    await live();
    fake.put("watched");
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
    for (const object of informer.store.list()) {
      expect(object.metadata).not.toHaveProperty("managedFields");
      expect(object).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget" });
    }
  });

  test("two namespaces fill one store, and a new list of one leaves the other alone", async () => {
    const { fake, informer, names } = await setUp({ namespaces: ["one", "two"] });
    fake.put("a", {}, { namespace: "one" });
    fake.put("b", {}, { namespace: "two" });
    fake.put("c", {}, { namespace: "three" });
    informer.start();
    await informer.synced;
    expect(names()).toEqual(["a", "b"]);
    expect(fake.seen("list").map((exchange) => exchange.path)).toContain("/apis/example.com/v1/namespaces/one/widgets");
  });

  test("an object that cannot be parsed keeps its earlier version, and the rest goes on", async () => {
    const parse = (raw: RawObject) => {
      if (raw["broken"] === true) throw new Error("cannot read");
      return raw;
    };
    const { fake, informer, names, live } = await setUp({ parse });
    fake.put("a", { color: "red" });
    informer.start();
    await live();
    fake.put("a", { broken: true });
    fake.put("b");
    await vi.waitFor(() => expect(names()).toEqual(["a", "b"]));
    fake.put("c", {}, { quiet: true });
    fake.compact();
    fake.resetWatches();
    await vi.waitFor(() => expect(names()).toEqual(["a", "b", "c"]));
    expect(fake.seen("list")).toHaveLength(2);
    expect(informer.store.get("default/a")?.["color"]).toBe("red");
  });

  test("fault 14: a listener that throws does not stop the reflector", async () => {
    const { fake, informer, names, live } = await setUp();
    informer.store.onChange(() => {
      throw new Error("broken listener");
    });
    fake.put("a");
    informer.start();
    await live();
    fake.put("b");
    await vi.waitFor(() => expect(names()).toEqual(["a", "b"]));
    expect(fake.seen("list")).toHaveLength(1);
  });
});

describe("I4 OPR-7 no problem ends a reflector", () => {
  test("fault 1: LIST answers 500 five times", async () => {
    const { fake, informer, names } = await setUp();
    fake.put("a");
    const states: unknown[] = [];
    const refuse: Handler = (response) => {
      states.push([informer.state.phase, informer.state.message?.includes("InternalError"), informer.hasSynced]);
      answerStatus(500, "InternalError")(response);
    };
    fake.next.list.push(...Array.from({ length: 5 }, () => refuse));
    informer.start();
    await informer.synced;
    expect(names()).toEqual(["a"]);
    expect(fake.seen("list")).toHaveLength(6);
    expect(states[0]).toEqual(["starting", undefined, false]);
    expect(states.slice(1)).toEqual(Array.from({ length: 4 }, () => ["starting", true, false]));
  });

  test.each([403, 404, 503])("fault 3, %i: LIST and watch answer so, then recover", async (code) => {
    const { fake, informer, names, live } = await setUp();
    fake.next.list.push(answerStatus(code, "Refused"));
    fake.next.watch.push(answerStatus(code, "Refused"));
    informer.start();
    await live();
    fake.put("a");
    await vi.waitFor(() => expect(names()).toEqual(["a"]));
  });

  test("fault 2: watch answers 429 with Retry-After: the pause is kept", async () => {
    const { fake, informer, live } = await setUp();
    const askedAt: number[] = [];
    const note =
      (answer: Handler): Handler =>
      (response, exchange) => {
        askedAt.push(performance.now());
        answer(response, exchange);
      };
    const end: Handler = (response) => void response.writeHead(200).end();
    fake.next.watch.push(note(answerStatus(429, "TooManyRequests", { "retry-after": "1" })), note(end));
    informer.start();
    await vi.waitFor(() => expect(askedAt).toHaveLength(2), { timeout: 5_000 });
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(995);
    await live();
    expect(fake.seen("list")).toHaveLength(1);
  });

  test("a refused connection, then a server that is back", async () => {
    const { fake, informer, names } = await setUp();
    fake.put("a");
    fake.next.list.push(reset, reset, reset);
    fake.next.watch.push(reset);
    informer.start();
    await informer.synced;
    expect(names()).toEqual(["a"]);
  });

  test("fault 6: a clean close storm is slowed down, and no event is lost", async () => {
    const { fake, informer, names, live } = await setUp({
      timing: { ...quick, backoff: { initialMs: 20, maxMs: 20 } },
    });
    const closedAt: number[] = [];
    const close: Handler = (response) => {
      closedAt.push(performance.now());
      response.writeHead(200).end();
    };
    fake.next.watch.push(...Array.from({ length: 20 }, () => close));
    informer.start();
    await vi.waitFor(() => expect(closedAt.length).toBeGreaterThan(3));
    fake.put("a");
    await vi.waitFor(() => expect(names()).toEqual(["a"]), { timeout: 5_000 });
    // Jitter takes off a quarter at most.
    expect((closedAt.at(-1) ?? 0) - (closedAt[0] ?? 0)).toBeGreaterThanOrEqual(19 * 14);
    expect(fake.seen("list")).toHaveLength(1);
    await live();
    expect(informer.state.phase).toBe("live");
  });

  test("fault 13: stop during connect: nothing is delivered and nothing stays open", async () => {
    const { fake, informer, names, changes } = await setUp();
    const connecting = Promise.withResolvers<void>();
    fake.next.watch.push((response) => {
      response.on("close", () => connecting.resolve());
      void informer.stop();
    });
    informer.start();
    await connecting.promise;
    await informer.stop();
    fake.put("late");
    expect(names()).toEqual([]);
    expect(changes).toEqual([]);
    expect(fake.seen("watch")).toHaveLength(1);
  });

  test("stop ends an open watch at once", async () => {
    const { fake, informer, live } = await setUp();
    informer.start();
    await live();
    await informer.stop();
    await vi.waitFor(() => expect(fake.openWatches).toBe(0));
  });

  test("the defaults outlast the server's bookmarks, resume before it forgets, and are back within 10 s", () => {
    const { inactivityMs, backoff } = defaultReflectorTiming;
    expect(inactivityMs).toBeGreaterThan(60_000 + 2_000);
    expect(inactivityMs + backoff.initialMs).toBeLessThan(75_000);
    expect(backoff.initialMs + backoff.maxMs).toBeLessThan(10_000);
  });
});
