import { describe, expect, it, vi } from "vitest";
import type { LiveObject } from "../../lib/kube/object.ts";
import { Store } from "../../lib/kube/store.ts";
import { createLogger } from "../../lib/process/log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { RolloutBudget } from "./budget.ts";
import {
  carriedOut,
  gaveUp,
  gaveUpRecreated,
  liveDeployment,
  type LiveDeploymentOptions,
} from "./testing/live-deployment.ts";

const failed = (error: unknown) => {
  throw error;
};

function setUp(maxRollouts: number, rollingAtStart: readonly string[] = []) {
  const store = new Store<LiveObject>({ indexes: {}, onListenerError: failed });
  for (const name of rollingAtStart) store.upsert(liveDeployment(name, { image: "agent:2" }));
  const clock = new ManualClock();
  const onFree = vi.fn<(deployment: string) => void>();
  const lines: unknown[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ logger: "test", destination });
  const start = (image = "agent:2") =>
    new RolloutBudget({ deployments: store, image, maxRollouts, onFree, log, clock });
  const budget = start();
  let version = 1;
  const show = (name: string, image: string, status: object = {}, options: LiveDeploymentOptions = {}) =>
    store.upsert(liveDeployment(name, { image, status, ...options, version: (version += 1) }));
  const take = (...names: string[]) => names.map((name) => budget.take(`agents/${name}`));
  return { store, clock, onFree, budget, start, show, take, lines };
}

describe("OPR-11 how many may move at once", () => {
  it("as many as the limit says, and not one more", () => {
    const { take } = setUp(2);
    expect(take("a", "b", "c")).toEqual([true, true, false]);
  });

  it("asking again takes no second place", () => {
    const { take } = setUp(2);
    expect(take("a", "a", "a", "b", "c")).toEqual([true, true, true, true, false]);
  });

  it("a new process counts what an earlier one has under way", () => {
    const { take } = setUp(3, ["a", "b"]);
    expect(take("c", "d")).toEqual([true, false]);
  });

  it("those on another image do not count, whether they move or not", () => {
    const { take, show } = setUp(1);
    show("a", "agent:1");
    show("b", "mine:7");
    expect(take("c")).toEqual([true]);
  });

  it("a place is held from the grant until the rollout is done, without a gap", () => {
    const { take, show } = setUp(1);
    take("a");
    expect(take("b")).toEqual([false]);
    show("a", "agent:1");
    expect(take("b")).toEqual([false]);
    show("a", "agent:2");
    expect(take("b")).toEqual([false]);
    show("a", "agent:2", carriedOut);
    expect(take("b")).toEqual([true]);
  });

  it("a grant that comes to nothing is free again after a minute", async () => {
    const { take, clock } = setUp(1);
    take("a");
    await clock.advance(59_999);
    expect(take("b")).toEqual([false]);
    await clock.advance(1);
    expect(take("b")).toEqual([true]);
  });
});

describe("OPR-11 those whose image is pinned", () => {
  it("hold their place from their turn until their pods are replaced", async () => {
    const { take, show, clock } = setUp(1);
    expect(take("a")).toEqual([true]);
    show("a", "mine:7", carriedOut);
    expect(take("b")).toEqual([false]);
    show("a", "mine:7");
    await clock.advance(600_000);
    expect(take("b")).toEqual([false]);
    show("a", "mine:7", carriedOut);
    expect(take("b")).toEqual([true]);
  });
});

describe("OPR-11 whose turn it is", () => {
  it("those refused first are told first, as many as there is room for", () => {
    const { take, show, onFree } = setUp(2);
    take("a", "b", "c", "d", "e");
    show("a", "agent:2");
    expect(onFree).not.toHaveBeenCalled();
    show("a", "agent:2", carriedOut);
    expect(onFree.mock.calls).toEqual([["agents/c"]]);
    take("c");
    show("b", "agent:2", carriedOut);
    expect(onFree.mock.calls).toEqual([["agents/c"], ["agents/d"]]);
  });

  it("a deleted Deployment leaves its place, and whoever left the queue is not told", () => {
    const { take, store, onFree, budget } = setUp(1);
    store.upsert(liveDeployment("a"));
    take("a", "b", "c");
    budget.leave("agents/b");
    store.remove(liveDeployment("a", { version: 9 }));
    expect(onFree.mock.calls).toEqual([["agents/c"]]);
  });
});

describe("OPR-11 when no more may move", () => {
  const failedTwice = (status: object = gaveUp) => {
    const scene = setUp(2);
    scene.take("a", "b");
    scene.show("a", "agent:2", status);
    scene.show("b", "agent:2", status);
    return scene;
  };

  it("one failure fewer than may move at once: the others go on, one at a time", () => {
    const { take, show, budget } = setUp(2);
    take("a", "b");
    show("a", "agent:2", gaveUp);
    show("b", "agent:2", carriedOut);
    expect(take("c", "d")).toEqual([true, false]);
    expect(budget).toMatchObject({ failed: ["agents/a"], moving: 1, waiting: 1, isStopped: false });
  });

  it.each([
    ["with the old pod still there", gaveUp],
    ["with the old pod gone", gaveUpRecreated],
  ])("as many failures as may move at once, %s: nobody more", (_, status) => {
    const { take, budget, onFree } = failedTwice(status);
    expect(take("c")).toEqual([false]);
    expect(budget).toMatchObject({ failed: ["agents/a", "agents/b"], moving: 0, waiting: 1, isStopped: true });
    expect(onFree).not.toHaveBeenCalled();
  });

  it("nobody waits: nothing is stopped", () => {
    expect(failedTwice().budget.isStopped).toBe(false);
  });

  it("a new process knows at once", () => {
    const restarted = failedTwice().start();
    expect(restarted.take("agents/c")).toBe(false);
    expect(restarted.isStopped).toBe(true);
  });

  it("a new process with another image starts afresh", () => {
    const { start } = failedTwice();
    const next = start("agent:3");
    expect(["c", "d", "e"].map((name) => next.take(`agents/${name}`))).toEqual([true, true, false]);
  });

  it.each<[string, (scene: ReturnType<typeof setUp>) => void]>([
    ["becomes available", ({ show }) => show("a", "agent:2", carriedOut)],
    [
      "is scaled to 0",
      ({ show }) => show("a", "agent:2", { ...gaveUp, replicas: 0, updatedReplicas: 0 }, { replicas: 0 }),
    ],
    ["is deleted", ({ store }) => store.remove(liveDeployment("a", { version: 99 }))],
    ["is pinned or set to another image", ({ show }) => show("a", "mine:7", gaveUp)],
    ["is paused", ({ show }) => show("a", "agent:2", gaveUp, { paused: true })],
  ])("a failed one %s: whoever waits first is told, and may move", (_, heal) => {
    const scene = failedTwice();
    scene.take("c", "d");
    heal(scene);
    expect(scene.onFree.mock.calls).toEqual([["agents/c"]]);
    expect(scene.take("c", "e")).toEqual([true, false]);
  });

  it("a failed one is edited: it is moving again, and has one more chance", () => {
    const { show, take, budget } = failedTwice();
    take("c");
    show("a", "agent:2", { ...gaveUp, observedGeneration: 1 });
    expect(budget).toMatchObject({ failed: ["agents/b"], moving: 1, isStopped: false });
    expect(take("c")).toEqual([false]);
    show("a", "agent:2", gaveUp);
    expect(budget.isStopped).toBe(true);
  });

  it("one that never served is no failure of the image, and holds up nobody", () => {
    const { take, show } = setUp(1);
    take("a");
    show("a", "agent:2", gaveUpRecreated, { previousImage: "" });
    expect(take("b")).toEqual([true]);
  });

  it("failures with another image do not count", () => {
    const { take, show } = setUp(1);
    show("a", "agent:1", gaveUp, { previousImage: "agent:0" });
    expect(take("b")).toEqual([true]);
  });

  it("a paused one holds no place", () => {
    const { take, show } = setUp(1);
    take("a");
    show("a", "agent:2", {}, { paused: true });
    expect(take("b")).toEqual([true]);
  });

  it("is logged once as it begins, with who failed, and once as it ends", () => {
    const { take, show, lines } = failedTwice();
    expect(lines).toEqual([]);
    take("c", "d");
    show("b", "agent:2", { ...gaveUp, replicas: 3 });
    expect(lines).toMatchObject([
      { level: "WARNING", message: "rollout stopped", image: "agent:2", failed: ["agents/a", "agents/b"] },
    ]);
    show("a", "agent:2", carriedOut);
    expect(lines.slice(1)).toMatchObject([{ level: "INFO", message: "rollout no longer stopped" }]);
  });
});
