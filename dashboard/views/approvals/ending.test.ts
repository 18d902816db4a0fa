import { describe, expect, it } from "vitest";
import { findOthersOfRun, outcomeOf, tellEnding, tellLate, tellShort } from "./ending.ts";
import { expiresAt, fakeApproval } from "./testing/approval.ts";

const before = Date.parse(expiresAt) - 1;
const after = Date.parse(expiresAt);
const at = "2026-11-24T12:06:12Z";
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(
  Date.parse(at),
);
const decided = (decision: Record<string, unknown>, state = "decided") =>
  fakeApproval({ state, decision: { by: "jonas", at, ...decision } });

describe("how a call ended", () => {
  it("names who decided, when, and whether the call was made", () => {
    const approved = { verdict: "approve" };
    expect(tellEnding(decided(approved), "mara", after)).toBe(
      `jonas approved this call at ${clock}. It is not made yet.`,
    );
    expect(tellEnding(decided(approved, "used"), "jonas", after)).toBe(
      `You approved this call at ${clock}. It was made.`,
    );
    expect(tellEnding(decided(approved, "expired"), "mara", after)).toBe(
      `jonas approved this call at ${clock}. It was not made in time.`,
    );
    expect(tellEnding(decided({ verdict: "approve", scope: "session" }, "used"), undefined, after)).toContain(
      "all equal ones of its conversation",
    );
    expect(tellEnding(decided({ verdict: "deny_abort" }, "used"), "mara", after)).toBe(
      `jonas denied this call at ${clock} and stopped the run.`,
    );
  });

  it("never says that somebody denied what nobody answered", () => {
    const expired = fakeApproval({ state: "expired" });
    expect(tellEnding(expired, "mara", after)).toMatch(/^Nobody answered by \d\d:\d\d\. The agent was told so\.$/);
    expect(tellShort(expired, "mara", after)).toBe("nobody answered");
  });

  it("tells withdrawn from expired by the time, and leaves out a decision that does not count", () => {
    const expired = fakeApproval({ state: "expired" });
    expect(outcomeOf(expired, before)).toBe("withdrawn");
    expect(outcomeOf(expired, after)).toBe("expired");
    expect(outcomeOf(decided({ verdict: "approve", ignored: true }, "expired"), after)).toBe("expired");
    expect(outcomeOf(decided({ verdict: "approve" }, "expired"), after)).toBe("decided");
  });

  it("says how late one's own answer was", () => {
    const late = (earlierByMs: number | undefined, wasPressed = true) =>
      tellLate({ kind: "other", earlierByMs, wasPressed });
    expect(late(2_000)).toBe("2.0 s before you. Your answer was not used.");
    expect(late(undefined)).toBe("Your answer was not used.");
    expect(late(undefined, false)).toBeUndefined();
    expect(tellLate({ kind: "mine", earlierByMs: undefined, wasPressed: true })).toBeUndefined();
  });

  it("is short in lists", () => {
    expect(tellShort(decided({ verdict: "approve_edited" }), "mara", after)).toBe("approved, edited by jonas");
    expect(tellShort(decided({ verdict: "deny_continue" }), "jonas", after)).toBe("denied by you");
  });
});

describe("the others of a run", () => {
  const one = fakeApproval();
  it("came the same way, and may be decided", () => {
    const list = [
      one,
      fakeApproval({ call_id: "same", tool: "other" }),
      fakeApproval({ call_id: "no-right", may_decide: false }),
      fakeApproval({ call_id: "other-agent", agent_id: "clerk" }),
      fakeApproval({ call_id: "other-caller", caller: "tom" }),
      fakeApproval({ call_id: "other-way", chain: [] }),
    ];
    expect(findOthersOfRun(list, one).map(({ call_id }) => call_id)).toEqual(["same"]);
  });

  it("are none for a call through the gateway itself", () => {
    const own = { agent_id: null, chain: [] };
    expect(findOthersOfRun([fakeApproval({ ...own, call_id: "x" })], fakeApproval(own))).toEqual([]);
  });
});
