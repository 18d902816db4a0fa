// What is kept of judged calls, at its limits, and what other rules say of them.
import { describe, expect, it } from "vitest";
import { JudgedRing } from "./judged-ring.ts";

const call = (tool: string, args: unknown = {}) => ({
  server: "bank",
  tool,
  caller: "ann",
  role: "caller",
  agent: "",
  arguments: args,
});
const at = "2030-01-01T00:00:00.000Z";

/** How many steps it takes too. */
function runSteps(ring: JudgedRing, rules: unknown) {
  const steps = ring.dryRun(rules);
  for (let count = 1; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return { count, report: value };
  }
}
const dryRun = (ring: JudgedRing, rules: unknown) => runSteps(ring, rules).report;
const denyAll = { rules: [], default: "denyAbort" };
const toolsOf = (ring: JudgedRing) => dryRun(ring, denyAll).calls.map(({ tool }) => tool);

describe("MGM-3 the ring of judged calls", () => {
  it("judges each by its real arguments, and shows none of them", () => {
    const ring = new JudgedRing();
    ring.add(call("pay", { amount: 40, secret: "hunter2" }), "ask", at);
    ring.add(call("pay", { amount: 400 }), "ask", "2030-01-01T00:00:01.000Z");
    const small = { name: "small", match: { args: [{ path: "/amount", lessThan: 100 }] }, action: "allow" };
    const report = dryRun(ring, { rules: [small] });
    expect(report).toEqual({
      calls: [
        { ...shown("2030-01-01T00:00:01.000Z"), before: "ask", after: "ask" },
        { ...shown(at), before: "ask", after: "allow", rule: "small" },
      ],
    });
    expect(JSON.stringify(report)).not.toContain("hunter2");
  });

  it("denies everything by faulty rules", () => {
    const ring = new JudgedRing();
    ring.add(call("pay"), "allow", at);
    expect(dryRun(ring, { rules: [{ name: "x", action: "allow", unknown: 1 }] }).calls[0]?.after).toBe("denyAbort");
  });

  it("keeps the arguments as they were when they were judged", () => {
    const ring = new JudgedRing();
    const args = { amount: 1 };
    ring.add(call("pay", args), "allow", at);
    args.amount = 1_000;
    const rule = { name: "much", match: { args: [{ path: "/amount", greaterThan: 10 }] }, action: "denyAbort" };
    expect(dryRun(ring, { rules: [rule], default: "allow" }).calls[0]?.after).toBe("allow");
  });

  it("judges them again in steps that hold nobody up", () => {
    const ring = new JudgedRing();
    for (let each = 0; each < 500; each += 1) ring.add(call("pay"), "allow", at);
    expect(runSteps(ring, denyAll).count).toBe(4);
    for (let each = 0; each < 100; each += 1) ring.add(call("pay", "x".repeat(64 * 1024 - 2)), "allow", at);
    expect(runSteps(ring, denyAll).count).toBe(104);
  });

  it("keeps the last 500, and forgets the oldest first", () => {
    const ring = new JudgedRing();
    for (let each = 0; each < 501; each += 1) ring.add(call(`tool-${each}`), "allow", at);
    expect(ring.size).toBe(500);
    const tools = toolsOf(ring);
    expect([tools.length, tools[0], tools.at(-1)]).toEqual([500, "tool-500", "tool-1"]);
  });

  it("keeps so many characters of arguments, and forgets the oldest first", () => {
    const ring = new JudgedRing({ maxCalls: 4, maxChars: 30, maxCallChars: 30 });
    // Each is 10 characters of JSON.
    for (const tool of ["a", "b", "c"]) ring.add(call(tool, "12345678"), "allow", at);
    expect(toolsOf(ring)).toEqual(["c", "b", "a"]);
    ring.add(call("d", "12345678"), "allow", at);
    expect(toolsOf(ring)).toEqual(["d", "c", "b"]);
    ring.add(call("e", "x".repeat(28)), "allow", at);
    expect(toolsOf(ring)).toEqual(["e"]);
  });

  it("leaves out a call whose arguments are longer than one call's may be, or no JSON", () => {
    const ring = new JudgedRing({ maxCallChars: 10 });
    ring.add(call("fits", "12345678"), "allow", at);
    ring.add(call("long", "123456789"), "allow", at);
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    ring.add(call("loop", loop), "allow", at);
    expect(toolsOf(ring)).toEqual(["fits"]);
  });

  it("leaves out a call with a name that is too long for any policy", () => {
    const ring = new JudgedRing();
    ring.add(call("t".repeat(1_025)), "denyAbort", at);
    ring.add(call("t".repeat(1_024)), "allow", at);
    expect(toolsOf(ring)).toEqual(["t".repeat(1_024)]);
  });
});

const shown = (time: string) => ({ at: time, server: "bank", tool: "pay", caller: "ann" });
