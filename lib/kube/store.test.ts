import { describe, expect, test, vi } from "vitest";
import type { LiveObject } from "./object.ts";
import { compareResourceVersions } from "./resource-version.ts";
import { Store, type Change } from "./store.ts";

interface Widget extends LiveObject {
  readonly color: string;
}

function widget(
  name: string,
  resourceVersion: string,
  fields: { uid?: string; namespace?: string; color?: string } = {},
): Widget {
  const { uid = `uid-${name}`, namespace = "default", color = "red" } = fields;
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, namespace, uid, resourceVersion }, color };
}

function setUp() {
  const onListenerError = vi.fn();
  const store = new Store<Widget, "color">({ indexes: { color: (object) => [object.color] }, onListenerError });
  const heard: string[] = [];
  store.onChange((change) => heard.push(render(change)));
  return { store, heard, onListenerError };
}

function render(change: Change<Widget>): string {
  if (change.type === "deleted") {
    return `deleted ${change.previous.metadata.name}@${change.previous.metadata.resourceVersion}`;
  }
  const from = change.type === "modified" ? `${change.previous.metadata.resourceVersion}->` : "";
  return `${change.type} ${change.object.metadata.name}@${from}${change.object.metadata.resourceVersion}`;
}

describe("I5 no event takes an object back", () => {
  test("an older resourceVersion never replaces a newer one, nor deletes it", () => {
    const { store, heard } = setUp();
    store.upsert(widget("a", "100"));
    store.upsert(widget("a", "99"));
    store.remove(widget("a", "99"));
    store.replace([widget("a", "20")]);
    expect(store.get("default/a")?.metadata.resourceVersion).toBe("100");
    expect(heard).toEqual(["added a@100"]);
  });

  test("the same resourceVersion again is no change", () => {
    const { store, heard } = setUp();
    store.upsert(widget("a", "100"));
    store.upsert(widget("a", "100"));
    store.replace([widget("a", "100")]);
    expect(heard).toEqual(["added a@100"]);
  });

  test("a new uid under the same name is a deletion and an addition", () => {
    const { store, heard } = setUp();
    store.upsert(widget("a", "100"));
    store.upsert(widget("a", "105", { uid: "other" }));
    store.remove(widget("a", "103"));
    expect(heard).toEqual(["added a@100", "deleted a@100", "added a@105"]);
  });

  test("versions that are not numbers are opaque: the later event wins", () => {
    const { store } = setUp();
    store.upsert(widget("a", "zz"));
    store.upsert(widget("a", "aa"));
    expect(store.get("default/a")?.metadata.resourceVersion).toBe("aa");
  });

  test("a reset takes older versions", () => {
    const { store, heard } = setUp();
    store.upsert(widget("a", "100"));
    store.replace([widget("a", "20")], { reset: true });
    expect(heard).toEqual(["added a@100", "modified a@100->20"]);
  });

  test.each([
    ["9", "10", -1],
    ["10", "9", 1],
    ["12345678901234567890", "12345678901234567891", -1],
    ["7", "7", 0],
    ["07", "8", undefined],
    ["a", "b", undefined],
  ])("%s compared with %s", (a, b, sign) => {
    const order = compareResourceVersions(a, b);
    expect(order === undefined ? undefined : Math.sign(order)).toBe(sign);
  });
});

describe("replace", () => {
  test("deletes what is missing, adds and modifies the rest", () => {
    const { store, heard } = setUp();
    store.replace([widget("a", "1"), widget("b", "2")]);
    store.replace([widget("b", "3"), widget("c", "4")]);
    expect(heard).toEqual(["added a@1", "added b@2", "deleted a@1", "modified b@2->3", "added c@4"]);
  });

  test("touches only its own namespace", () => {
    const { store } = setUp();
    store.replace([widget("a", "1", { namespace: "one" })], { namespace: "one" });
    store.replace([widget("a", "2", { namespace: "two" })], { namespace: "two" });
    store.replace([], { namespace: "two" });
    expect(store.list().map((object) => object.metadata.namespace)).toEqual(["one"]);
  });

  test("keeps objects that are known to exist but could not be read", () => {
    const { store } = setUp();
    store.replace([widget("a", "1")]);
    store.replace([], { retain: new Set(["default/a"]) });
    expect(store.size).toBe(1);
  });
});

describe("indexes", () => {
  test("follow additions, changes and deletions", () => {
    const { store } = setUp();
    const names = (color: string) => store.byIndex("color", color).map((object) => object.metadata.name);
    store.upsert(widget("a", "1", { color: "red" }));
    store.upsert(widget("b", "2", { color: "red" }));
    store.upsert(widget("a", "3", { color: "blue" }));
    expect([names("red"), names("blue")]).toEqual([["b"], ["a"]]);
    store.remove(widget("a", "4"));
    expect([names("red"), names("blue"), names("green")]).toEqual([["b"], [], []]);
  });
});

describe("listeners", () => {
  test("one that comes late hears an addition of everything that is there", () => {
    const { store } = setUp();
    store.upsert(widget("a", "1"));
    const heard: string[] = [];
    const stop = store.onChange((change) => heard.push(render(change)));
    store.upsert(widget("a", "2"));
    stop();
    store.upsert(widget("a", "3"));
    expect(heard).toEqual(["added a@1", "modified a@1->2"]);
  });

  test("one that throws is reported, and disturbs neither the store nor the others", async () => {
    const { store, heard, onListenerError } = setUp();
    store.onChange(() => {
      throw new Error("broken listener");
    });
    // oxlint-disable-next-line typescript/no-misused-promises -- a listener that should not be async is the case
    store.onChange(async () => Promise.reject(new Error("broken async listener")));
    store.onChange((change) => heard.push(`late ${render(change)}`));
    store.upsert(widget("a", "1"));
    expect(heard).toEqual(["added a@1", "late added a@1"]);
    await vi.waitFor(() => expect(onListenerError).toHaveBeenCalledTimes(2));
  });

  test("sees the store as it is after the change", () => {
    const { store } = setUp();
    const sizes: number[] = [];
    store.onChange(() => sizes.push(store.size));
    store.upsert(widget("a", "1"));
    store.remove(widget("a", "2"));
    expect(sizes).toEqual([1, 0]);
  });
});
