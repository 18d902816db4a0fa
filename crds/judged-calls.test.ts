import { describe, expect, it } from "vitest";
import {
  maxJudgedCalls,
  maxJudgedReportBytes,
  parseJudgedReport,
  summarizeDryRun,
  type PlacedCall,
} from "./judged-calls.ts";

const at = (second: number) => new Date(Date.UTC(2030, 0, 1) + second * 1_000).toISOString();
const call = (
  second: number,
  before: PlacedCall["before"],
  after: PlacedCall["after"],
  agent = "clerk",
): PlacedCall => ({
  agent,
  at: at(second),
  server: "bank",
  tool: "pay",
  caller: "ann",
  before,
  after,
});

describe("MGM-3 summarizeDryRun", () => {
  it("lists what would be looser first, the newest first, and counts what stays the same", () => {
    const calls = [
      call(1, "allow", "denyAbort"),
      call(2, "ask", "allow"),
      call(3, "ask", "ask"),
      call(4, "denyContinue", "ask"),
      call(5, "allow", "ask"),
    ];
    const { total, counts, calls: listed } = summarizeDryRun(calls);
    expect(total).toBe(5);
    expect(listed.map(({ at: time }) => time)).toEqual([at(4), at(2), at(5), at(1)]);
    expect(counts).toEqual([
      { before: "allow", after: "ask", calls: 1 },
      { before: "allow", after: "denyAbort", calls: 1 },
      { before: "ask", after: "allow", calls: 1 },
      { before: "ask", after: "ask", calls: 1 },
      { before: "denyContinue", after: "ask", calls: 1 },
    ]);
  });

  it("is about the newest 500 of all places, and of no call more", () => {
    const own = Array.from({ length: maxJudgedCalls }, (_, n) => call(2 * n, "ask", "allow"));
    const others = Array.from({ length: maxJudgedCalls }, (_, n) => call(2 * n + 1, "ask", "allow", ""));
    const { total, calls } = summarizeDryRun([...own, ...others]);
    expect(total).toBe(500);
    expect(calls.at(0)).toMatchObject({ at: at(999), agent: "" });
    expect(calls.at(-1)).toMatchObject({ at: at(500), agent: "clerk" });
    expect(summarizeDryRun(own).total).toBe(500);
  });
});

describe("parseJudgedReport", () => {
  const { agent, ...judged } = call(1, "ask", "allow");

  it("reads what that agent says", () => {
    expect(parseJudgedReport(JSON.stringify({ agent, calls: [judged] }), agent).calls).toEqual([judged]);
  });

  it("takes 500 calls with the longest names, and not one more", () => {
    const longest = "é".repeat(1_024);
    const long = { ...judged, server: longest, tool: longest, caller: longest, rule: "r".repeat(63) };
    const text = (calls: number) => JSON.stringify({ agent, calls: Array.from({ length: calls }, () => long) });
    expect(Buffer.byteLength(text(500))).toBeLessThan(maxJudgedReportBytes);
    expect(parseJudgedReport(text(500), agent).calls).toHaveLength(500);
    expect(() => parseJudgedReport(text(501), agent)).toThrow(/found another shape/);
  });

  it.each([
    ["no JSON", "<html>"],
    ["another shape", JSON.stringify({ agent, calls: [{ ...judged, after: "maybe" }] })],
    ['those of "other"', JSON.stringify({ agent: "other", calls: [] })],
  ])("refuses %s", (found, text) => {
    expect(() => parseJudgedReport(text, agent)).toThrow(`found ${found}`);
  });
});
