import { describe, expect, it } from "vitest";
import { ApiError } from "./api-error.ts";
import type { LiveObject } from "./object.ts";
import { createOwnerGuard } from "./owner-guard.ts";
import { Stalled, Waiting } from "./outcome.ts";
import { Store } from "./store.ts";
import { widgetType } from "./testing/fake-api-server.ts";
import type { Transport } from "./transport.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";

const signal = new AbortController().signal;
const onListenerError = (error: unknown): void => expect.fail(String(error));

function setUp(basis?: LiveObject) {
  const clock = new ManualClock();
  const owners = new Store<LiveObject>({ indexes: {}, onListenerError });
  const held = new Map<string, LiveObject>();
  const asked: string[] = [];
  const transport: Pick<Transport, "request"> = {
    async request({ path }) {
      const name = path.split("/").at(-1) ?? "";
      asked.push(name);
      const found = held.get(name);
      if (found === undefined) throw new ApiError({ status: 404, reason: "NotFound", message: "gone" });
      return structuredClone(found);
    },
  };
  const informers = [{ type: widgetType, store: owners }];
  const guard = createOwnerGuard({ transport, informers, basisOf: () => basis, clock });
  /** An owner that the server made so long ago, as it stands in the cache. */
  const watched = (ageMs: number, name = "echo"): LiveObject => {
    const creationTimestamp = new Date(clock.wallNow() - ageMs).toISOString();
    return widget(name, { creationTimestamp });
  };
  const confirm = (owner: LiveObject, action: "create" | "update" = "create") =>
    guard.confirm({ owner, signal }, action).then(
      () => "believed",
      () => "gone",
    );
  return { clock, owners, held, guard, watched, confirm, asked };
}

function widget(name: string, metadata: Partial<LiveObject["metadata"]> = {}): LiveObject {
  const given = { name, namespace: "agents", uid: `uid-of-${name}`, resourceVersion: "1", ...metadata };
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: given };
}

describe("OPR-7 whether an owner is believed to be there", () => {
  it("a new one that a watch tells of is, for one reconcile, without a call", async () => {
    const { owners, guard, watched, confirm, asked } = setUp();
    const owner = watched(1_000);
    owners.upsert(owner);
    const reconciling = { owner, signal };
    await guard.confirm(reconciling, "create");
    await guard.confirm(reconciling, "create");
    expect(asked).toEqual([]);
    expect(await confirm(owner, "update")).toBe("believed");
    expect(await confirm(owner)).toBe("gone");
    expect(asked).toEqual(["echo"]);
  });

  it.each([
    ["is of a first list", 1_000, true],
    ["was made long ago", 10_000, false],
  ])("one that %s is asked for", async (_title, ageMs, initial) => {
    const { owners, watched, confirm } = setUp();
    const owner = watched(ageMs);
    if (initial) owners.replace([owner], { initial });
    else owners.upsert(owner);
    expect(await confirm(owner)).toBe("gone");
  });

  it.each([
    [9_999, "believed"],
    [10_000, "gone"],
  ])("one that was heard of %i ms ago is %s", async (waitedMs, outcome) => {
    const { clock, owners, watched, confirm } = setUp();
    const owner = watched(0);
    owners.upsert(owner);
    await clock.advance(waitedMs);
    expect(await confirm(owner)).toBe(outcome);
  });

  it.each<[string, Partial<LiveObject["metadata"]>, typeof Stalled | typeof Waiting]>([
    ["has a later generation is waited for", { generation: 3 }, Waiting],
    ["is being deleted is gone", { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z" }, Stalled],
    ["is another of its name is gone", { generation: 2, uid: "other" }, Stalled],
  ])("one that %s", async (_title, found, outcome) => {
    const { held, guard } = setUp();
    held.set("echo", widget("echo", found));
    const reconciling = { owner: widget("echo", { generation: 2 }), signal };
    await expect(guard.confirm(reconciling, "create")).rejects.toThrow(outcome);
  });

  it("one that was deleted since is asked for", async () => {
    const { owners, watched, confirm } = setUp();
    const owner = watched(0);
    owners.upsert(owner);
    owners.remove(owner);
    expect(await confirm(owner)).toBe("gone");
  });
});

describe("OPR-7 what children are rendered from besides", () => {
  const basis = widget("basis", { generation: 3 });
  const write = ({ guard, watched }: ReturnType<typeof setUp>) =>
    guard.confirm({ owner: watched(0), signal }, "update");

  it("is asked about once, and believed as long as it lives", async () => {
    const scene = setUp(basis);
    scene.held.set("echo", scene.watched(0)).set("basis", basis);
    scene.owners.replace([scene.watched(0), basis], { initial: true });
    await write(scene);
    const another = scene.watched(0, "another");
    scene.held.set("another", another);
    await scene.guard.confirm({ owner: another, signal }, "update");
    expect(scene.asked).toEqual(["echo", "basis", "another"]);
  });

  it.each([
    ["has a later generation", widget("basis", { generation: 4 })],
    ["is another of its name", widget("basis", { generation: 3, uid: "other" })],
    ["is gone", undefined],
  ])("is waited for when it %s on the server", async (_title, found) => {
    const scene = setUp(basis);
    scene.held.set("echo", scene.watched(0));
    if (found) scene.held.set("basis", found);
    await expect(write(scene)).rejects.toThrow(Waiting);
  });
});
