import { describe, expect, it } from "vitest";
import { compareLines, foldEqual, maxCompared, splitLines } from "./line-difference.ts";

const told = (old: string, now: string) =>
  compareLines(splitLines(old), splitLines(now)).map(({ kind, text }) => `${kind[0] ?? ""} ${text}`);

describe("texts compared by lines", () => {
  it("keep the longest common lines", () => {
    expect(told("a\nb\nc\nd", "a\nc\nx\nd")).toEqual(["e a", "r b", "e c", "a x", "e d"]);
  });

  it("are all equal, all added or all removed", () => {
    expect(told("a\nb", "a\nb")).toEqual(["e a", "e b"]);
    expect(compareLines([], ["a"])).toEqual([{ kind: "added", text: "a" }]);
    expect(compareLines(["a"], [])).toEqual([{ kind: "removed", text: "a" }]);
  });

  it("hold every line of both, whatever they are", () => {
    const old = Array.from({ length: 60 }, (_, index) => `${(index * 7) % 11}`);
    const now = Array.from({ length: 50 }, (_, index) => `${(index * 5) % 13}`);
    const lines = compareLines(old, now);
    expect(lines.filter(({ kind }) => kind !== "added").map(({ text }) => text)).toEqual(old);
    expect(lines.filter(({ kind }) => kind !== "removed").map(({ text }) => text)).toEqual(now);
  });

  it("beyond 1,000 lines are told as a whole, with every line", () => {
    const old = Array.from({ length: maxCompared + 1 }, (_, index) => `old ${index}`);
    const now = Array.from({ length: maxCompared }, (_, index) => `new ${index}`);
    const same = "both";
    const lines = compareLines([same, ...old], [same, ...now]);
    expect(lines).toHaveLength(1 + old.length + now.length);
    expect(lines[0]).toEqual({ kind: "equal", text: same });
  });
});

describe("folding", () => {
  const isEqual = (item: string) => item === "=";
  const shape = (items: string, least?: number) =>
    foldEqual([...items], isEqual, least).map(({ kind, items: run }) => `${kind} ${run.join("")}`);

  it("takes equal ones alone, and none within three of another", () => {
    expect(shape("+=========+")).toEqual(["shown +===", "shown ===", "shown ===+"]);
    expect(shape("+==========+")).toEqual(["shown +===", "folded ====", "shown ===+"]);
    expect(shape("=======")).toEqual(["folded ======="]);
  });

  it("leaves few ones as they are", () => {
    expect(shape("===")).toEqual(["shown ==="]);
    expect(shape("====")).toEqual(["folded ===="]);
    expect(shape("====", 5)).toEqual(["shown ===="]);
  });
});
