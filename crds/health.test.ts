import { describe, expect, it } from "vitest";
import { parseHealthReport } from "./health.ts";

const report = { status: "ok", timestamp: "2026-11-21T10:00:00Z", agent: "research", providers: {}, downstreams: {} };

describe("HLT-6 what an agent reports", () => {
  it("is read, without what this release does not know", () => {
    expect(parseHealthReport(JSON.stringify({ ...report, mood: "fine" }), "research")).toEqual(report);
  });

  it.each([
    ["no JSON", "<html>", /found no JSON/],
    ["another shape", '{"status":"fine"}', /found another shape/],
    ["wrong types", JSON.stringify({ ...report, providers: [1, 2] }), /found another shape/],
    ["lists nested without end", "[".repeat(200_000), /found no JSON/],
    ["lists nested deep", "[".repeat(100_000) + "]".repeat(100_000), /found another shape/],
    [
      "a report of another agent at the address",
      JSON.stringify({ ...report, agent: "archive" }),
      /found one of "archive"/,
    ],
  ])("is refused when it is %s", (_, text, message) => {
    expect(() => parseHealthReport(text, "research")).toThrow(message);
    expect(() => parseHealthReport(text, "research")).toThrow('expected a health report of agent "research"');
  });
});
