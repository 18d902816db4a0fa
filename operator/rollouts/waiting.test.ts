import { describe, expect, it } from "vitest";
import { renderPaused, renderWaiting } from "./waiting.ts";

const held = { namespace: "agents", name: "research", image: "agent:1" };
const because = (...failed: string[]) =>
  renderWaiting(held, { image: "agent:2", maxRollouts: 10, isStopped: true, failed });

describe("OPR-11 why an agent stays on its image", () => {
  it("says whose turn it waits for while turns are given", () => {
    const release = { image: "agent:2", maxRollouts: 10, isStopped: false, failed: ["agents/a"] };
    expect(renderWaiting(held, release)).toBe(
      "stays on image agent:1 until fewer than 10 agents are on their way to agent:2",
    );
  });

  it("says of one that keeps its image that its pods are made anew", () => {
    const release = { image: "agent:2", maxRollouts: 10, isStopped: false, failed: [] };
    const same = { ...held, image: undefined };
    expect(renderWaiting(same, release)).toBe(
      "stays as an earlier release made it until fewer than 10 agents are on their way to agent:2",
    );
    expect(renderPaused(same)).toContain("stays as an earlier release made it while its Deployment is paused");
  });

  it("says the cause and the cure when the rollout is stopped", () => {
    expect(because("agents/a")).toBe(
      "stays on image agent:1: the rollout of agent:2 is stopped, because a served before and did not become " +
        "available with it; it goes on once they become available or are scaled to 0, or the operator gets another image",
    );
  });

  it.each<[string, string[], string]>([
    ["three by name", ["agents/a", "agents/b", "agents/c"], "a, b, c served"],
    ["a fourth by number", ["agents/a", "agents/b", "agents/c", "agents/d"], "a, b, c and 1 more served"],
    ["those of other namespaces by number", ["agents/a", "other/secret"], "a and 1 more served"],
    ["only those of another namespace, one", ["other/secret"], "1 agent of other namespaces served"],
    ["only those of other namespaces, two", ["other/x", "more/y"], "2 agents of other namespaces served"],
  ])("names %s", (_, failed, text) => {
    expect(because(...failed)).toContain(text);
    expect(because(...failed)).not.toContain("secret");
  });

  it("says how a paused one goes on", () => {
    expect(renderPaused(held)).toBe(
      "stays on image agent:1 while its Deployment is paused; kubectl rollout resume deployment/research -n agents ends that",
    );
  });
});
