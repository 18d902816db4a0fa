import { describe, expect, it, vi } from "vitest";
import type { LiveObject } from "../../lib/kube/object.ts";
import { Store } from "../../lib/kube/store.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { RolloutBudget } from "./budget.ts";
import { carriedOut, liveDeployment } from "./testing/live-deployment.ts";

const failed = (error: unknown) => {
  throw error;
};

function setUp(maxRollouts: number, rollingAtStart: readonly string[] = []) {
  const store = new Store<LiveObject>({ indexes: {}, onListenerError: failed });
  for (const name of rollingAtStart) store.upsert(liveDeployment(name, { image: "agent:2" }));
  const clock = new ManualClock();
  const onFree = vi.fn<(deployment: string) => void>();
  const budget = new RolloutBudget({ deployments: store, image: "agent:2", maxRollouts, onFree, clock });
  let version = 1;
  const show = (name: string, image: string, status: object = {}) =>
    store.upsert(liveDeployment(name, { image, status, version: (version += 1) }));
  const take = (...names: string[]) => names.map((name) => budget.take(`agents/${name}`));
  return { store, clock, onFree, budget, show, take };
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
