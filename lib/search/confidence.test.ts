import { describe, expect, it } from "vitest";
import { estimate, thresholds, toConfidence, type Evidence } from "./confidence.ts";
import { SearchIndex } from "./search-index.ts";
import { fitLogistic } from "./train/logistic.ts";

const middling: Evidence = {
  nameShare: 0.5,
  rivals: 2,
  wordsScore: 1,
  wordsLead: 0.2,
  meaning: { lead: 0.05, likeness: 0.6 },
};
const change = (more: Partial<Evidence>): number => estimate({ ...middling, ...more }) - estimate(middling);

describe("DSC-2 a match is surer", () => {
  it.each<[better: Partial<Evidence>, worse: Partial<Evidence>]>([
    [{ nameShare: 1 }, { nameShare: 0 }],
    [{ rivals: 0 }, { rivals: 5 }],
    [{ wordsScore: 1.5 }, { wordsScore: 0.5 }],
    [{ wordsLead: 0.5 }, { wordsLead: -0.2 }],
    [{ meaning: { lead: 0.2, likeness: 0.6 } }, { meaning: { lead: -0.2, likeness: 0.6 } }],
    [{ meaning: { lead: 0.05, likeness: 0.3 } }, { meaning: { lead: 0.05, likeness: 0.9 } }],
  ])("with %j than with %j", (better, worse) => {
    expect(change(better)).toBeGreaterThan(0.01);
    expect(change(worse)).toBeLessThan(-0.01);
  });

  it("up to limits", () => {
    const led = (lead: number): number => change({ meaning: { lead, likeness: 0.6 } });
    expect(change({ wordsScore: 2.9 })).not.toBe(change({ wordsScore: 3 }));
    expect(change({ wordsScore: 3 })).toBe(change({ wordsScore: 3.1 }));
    expect(change({ wordsLead: 2 })).toBe(change({ wordsLead: 2.1 }));
    expect(change({ wordsLead: -1 })).toBe(change({ wordsLead: -1.1 }));
    expect(led(0.3)).toBe(led(0.31));
    expect(led(-0.4)).toBe(led(-0.41));
  });

  it("by other weights where there are no vectors", () => {
    const wordsOnly = { ...middling, meaning: undefined };
    expect(estimate(wordsOnly)).not.toBe(estimate({ ...middling, meaning: { lead: 0, likeness: 0 } }));
    expect(estimate({ ...wordsOnly, wordsLead: 2, wordsScore: 3, nameShare: 1, rivals: 0 })).toBeGreaterThan(0.9);
  });
});

describe("DSC-2 the label", () => {
  it.each([
    [1, "high"],
    [thresholds.high, "high"],
    [thresholds.high - 1e-9, "medium"],
    [thresholds.medium, "medium"],
    [thresholds.medium - 1e-9, "low"],
    [thresholds.low, "low"],
    [thresholds.low - 1e-9, "none"],
    [0, "none"],
  ])("of %d is %s", (probability, label) => {
    expect(toConfidence(probability, { nameShare: 0.5 })).toBe(label);
  });

  it("is low, not none, where more than half of the tool's name is in the query, and none without a tool", () => {
    expect(toConfidence(0.01, { nameShare: 0.51 })).toBe("low");
    expect(toConfidence(1, undefined)).toBe("none");
  });

  it("is no longer high when a tool of the same words is there too", async () => {
    const index = new SearchIndex();
    const described = { description: "Post a message to a channel", parameters: [{ name: "channel" }] };
    const others = Array.from({ length: 50 }, (_, at) => ({ name: `count_things_${at}`, parameters: [] }));
    await index.put({ name: "slack" }, [{ name: "post_message", ...described }, ...others]);
    const alone = index.search("post a message to a slack channel", { limit: 1 });
    await index.put({ name: "slack copy" }, [{ name: "message_post", ...described }]);
    const beside = index.search("post a message to a slack channel", { limit: 1 });
    expect([alone.confidence, alone.matches[0]?.tool]).toEqual(["high", "post_message"]);
    expect(beside.score).toBeLessThan(alone.score - 0.2);
    const seen = index.search("post a message to a slack channel", {
      limit: 1,
      accept: (server) => server === "slack",
    });
    expect(seen.score).toBeGreaterThan(beside.score + 0.1);
  });
});

it("weights are found by logistic regression", () => {
  const odds = (x: number, y: number): number => 1 / (1 + Math.exp(-(2 * x - y + 0.5)));
  const samples = Array.from({ length: 4_000 }, (_, at) => {
    const [x, y] = [(at % 20) / 5 - 2, (Math.floor(at / 20) % 20) / 5 - 2];
    // Of each ten trials of the same features, as many are right as the odds say.
    return { features: [x, y], isRight: Math.floor(at / 400) + 0.5 < odds(x, y) * 10 };
  });
  const [first = 0, second = 0, base = 0] = fitLogistic(samples);
  expect(first).toBeGreaterThan(1.8);
  expect(first).toBeLessThan(2.3);
  expect(second / first).toBeCloseTo(-0.5, 1);
  expect(base / first).toBeCloseTo(0.25, 1);
});
