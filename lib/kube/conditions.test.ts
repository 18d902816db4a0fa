import { describe, expect, test } from "vitest";
import { findCondition, setCondition, type Condition } from "./conditions.ts";

const before = new Date("2026-01-01T10:00:00.900Z");
const now = new Date("2026-01-01T11:00:00.123Z");
const ready = { type: "Ready", status: "False", reason: "Starting", message: "", observedGeneration: 1 } as const;

describe("I9 lastTransitionTime moves only when the status changes", () => {
  const conditions = setCondition([], ready, before);

  test("a first condition gets the time, in whole seconds", () => {
    expect(conditions).toEqual([{ ...ready, lastTransitionTime: "2026-01-01T10:00:00Z" }]);
  });

  test("another reason, message or generation keeps the time", () => {
    const next = setCondition(
      conditions,
      { ...ready, reason: "Pulling", message: "image", observedGeneration: 2 },
      now,
    );
    expect(findCondition(next, "Ready")).toEqual({
      ...ready,
      reason: "Pulling",
      message: "image",
      observedGeneration: 2,
      lastTransitionTime: "2026-01-01T10:00:00Z",
    });
  });

  test("another status moves it", () => {
    const next = setCondition(conditions, { ...ready, status: "True" }, now);
    expect(findCondition(next, "Ready")?.lastTransitionTime).toBe("2026-01-01T11:00:00Z");
  });

  test("no change gives the very same list", () => {
    expect(setCondition(conditions, ready, now)).toBe(conditions);
  });

  test("the others stay where they are", () => {
    const others: readonly Condition[] = [
      { ...ready, type: "A", lastTransitionTime: "x" },
      { ...ready, type: "B", lastTransitionTime: "y" },
    ];
    const next = setCondition(
      setCondition(others, { ...ready, type: "C" }, now),
      { ...ready, type: "A", status: "True" },
      now,
    );
    expect(next.map((condition) => condition.type)).toEqual(["A", "B", "C"]);
    expect(next[1]).toBe(others[1]);
  });
});
