import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { ConnectionState, ToolAnswer } from "../../connect/connection.ts";
import { Problem } from "../../connect/problem.ts";
import type { ShownApproval } from "../../data/approvals.ts";
import { createFakeTime } from "../../testing/fake-time.ts";
import { fakeApproval } from "./testing/approval.ts";
import { createVerdictDesk } from "./verdict-desk.ts";
import { holdMs, quietMs, type Verdict } from "./verdict-machine.ts";

const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

function openDesk(answer: (args: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>) {
  const time = createFakeTime();
  const state = signal<ConnectionState>({ kind: "live" });
  const calls: Readonly<Record<string, unknown>>[] = [];
  const said: string[] = [];
  let now: ShownApproval | undefined;
  const desk = createVerdictDesk({
    connection: {
      state,
      call: async (tool, args) => {
        calls.push({ tool, ...args });
        return answer(args);
      },
      read: async () => {
        if (now === undefined) throw new Problem("gone", "gone");
        return JSON.stringify(now);
      },
    },
    time,
    announcer: { polite: signal(""), urgent: signal(""), say: () => undefined, sayNow: (text) => said.push(text) },
    me: () => "lea",
  });
  const press = (verdict: Verdict, others?: readonly ShownApproval[]) => {
    time.advance(quietMs);
    desk.act("pay-1", { kind: "chosen", verdict, why: [] }, others);
  };
  return {
    desk,
    time,
    state,
    calls,
    said,
    press,
    step: () => desk.find("pay-1")?.step,
    know: (one: ShownApproval) => (now = one),
  };
}

const decided = (by: string, verdict = "approve", state = "decided") =>
  fakeApproval({ state, decision: { verdict, by, at: "2026-11-24T12:00:01.600Z" } });
const accepted = async (): Promise<ToolAnswer> => ({ text: "", structured: { approval: decided("lea") } });
const refused = async (): Promise<ToolAnswer> => {
  throw new Problem("refused", "it was decided before", { data: { error: { type: "conflict" } } });
};
const lost = async (): Promise<ToolAnswer> => {
  throw new Problem("unreachable", "the connection was cut");
};

describe("a verdict", () => {
  it("is sent after the hold, with the hash that was on the screen, and told when it was taken", async () => {
    const { desk, time, calls, said, press, step } = openDesk(accepted);
    desk.open(fakeApproval());
    press({ decision: "approve", scope: "session" });
    expect(said).toEqual(["Approving in 3 seconds. Press z to undo."]);
    time.advance(holdMs - 1);
    expect(calls).toEqual([]);
    expect(step()).toMatchObject({ kind: "held", leftSeconds: 1 });
    time.advance(1);
    expect(calls).toEqual([
      {
        tool: "agents_approve_request",
        call_id: "pay-1",
        arguments_hash: "sha256:1",
        decision: "approve",
        scope: "session",
      },
    ]);
    expect(step()?.kind).toBe("sending");
    await settled();
    expect(step()).toMatchObject({ kind: "over", ending: { kind: "mine" } });
    expect(said.at(-1)).toMatch(/^You approved this call/);
  });

  it("that is taken back, or whose desk is cleared, is never sent", () => {
    const { desk, time, calls, said, press } = openDesk(accepted);
    desk.open(fakeApproval());
    press({ decision: "approve" });
    time.advance(quietMs);
    desk.act("pay-1", { kind: "back" });
    expect(said.at(-1)).toBe("Taken back. Nothing was sent.");
    time.advance(holdMs);
    press({ decision: "approve" });
    desk.clear();
    time.advance(holdMs);
    expect(calls).toEqual([]);
  });

  it("is given back when the connection is lost before it is sent", () => {
    const { desk, time, state, calls, press } = openDesk(accepted);
    desk.open(fakeApproval());
    press({ decision: "approve" });
    state.value = { kind: "connecting" };
    time.advance(holdMs);
    expect(calls).toEqual([]);
    expect(desk.find("pay-1")?.problem).toContain("connection was lost");
  });

  it("goes on while another card is looked at", async () => {
    const { desk, time, calls, press } = openDesk(accepted);
    desk.open(fakeApproval());
    press({ decision: "approve" });
    desk.open(fakeApproval({ call_id: "pay-2" }));
    time.advance(holdMs);
    await settled();
    expect(calls.map(({ call_id }) => call_id)).toEqual(["pay-1"]);
  });
});

describe("a call that is read again", () => {
  it("takes presses as before where it is the same, and none for a moment where it is another", () => {
    const { desk, time, step } = openDesk(accepted);
    const choose = () => desk.act("pay-1", { kind: "chosen", verdict: { decision: "approve" }, why: [] });
    desk.open(fakeApproval());
    time.advance(quietMs);
    desk.hear(fakeApproval({ arguments_hash: "sha256:2" }));
    choose();
    expect(step()?.kind).toBe("ready");
    time.advance(quietMs);
    desk.hear(fakeApproval({ arguments_hash: "sha256:2" }));
    choose();
    expect(step()?.kind).toBe("held");
  });
});

describe("somebody else's decision", () => {
  it("ends what is held at once, and is told with how much earlier it was", () => {
    const { desk, time, calls, said, press, step } = openDesk(accepted);
    desk.open(fakeApproval());
    press({ decision: "approve" });
    time.advance(1_000);
    desk.hear(decided("jonas"));
    expect(step()).toMatchObject({ kind: "over", ending: { kind: "other", earlierByMs: 2_000 } });
    expect(said.at(-1)).toMatch(/^jonas approved this call .* 2\.0 s before you\. Your answer was not used\.$/);
    time.advance(holdMs);
    expect(calls).toEqual([]);
  });

  it("that only the refusal tells of is read and shown", async () => {
    const { desk, time, press, step, know, said } = openDesk(refused);
    desk.open(fakeApproval());
    know(decided("jonas", "deny_continue"));
    press({ decision: "approve" });
    time.advance(holdMs);
    await settled();
    expect(step()).toMatchObject({ kind: "over", ending: { kind: "other" } });
    expect(said.at(-1)).toMatch(/^jonas denied this call/);
  });

  it("made by oneself in another tab is told as that, and what was pressed here as not used", async () => {
    const { desk, time, press, step, know, said } = openDesk(refused);
    desk.open(fakeApproval());
    know(decided("lea"));
    press({ decision: "approve" });
    time.advance(holdMs);
    await settled();
    expect(step()).toMatchObject({ kind: "over", ending: { kind: "other", wasPressed: true } });
    expect(said.at(-1)).toMatch(/^You approved this call .*\. Your answer was not used\.$/);
  });

  it("made by oneself in another tab ends what is held here, which was not used", () => {
    const { desk, time, calls, said, press } = openDesk(accepted);
    desk.open(fakeApproval());
    press({ decision: "approve" });
    desk.hear(decided("lea", "deny_continue"));
    expect(said.at(-1)).toMatch(/^You denied this call .*; the run goes on\. Your answer was not used\.$/);
    time.advance(holdMs);
    expect(calls).toEqual([]);
  });

  it("is one's own where it is not known whether what was sent arrived, and the gateway has it", async () => {
    const { desk, time, press, step, know, said } = openDesk(lost);
    desk.open(fakeApproval());
    know(decided("lea"));
    press({ decision: "approve" });
    time.advance(holdMs);
    await settled();
    expect(step()).toMatchObject({ kind: "over", ending: { kind: "mine" } });
    expect(said.at(-1)).not.toContain("not used");
  });

  it("is no news on a card that is opened afterwards", () => {
    const { desk, said, step } = openDesk(accepted);
    desk.open(decided("jonas"));
    desk.hear(decided("jonas"));
    expect(step()?.kind).toBe("over");
    expect(said).toEqual([]);
  });
});

describe("a refusal", () => {
  it("is shown as the gateway says it, and the answer can be given again", async () => {
    const { desk, time, press, know, step, said } = openDesk(refused);
    desk.open(fakeApproval());
    know(fakeApproval());
    press({ decision: "approve" });
    time.advance(holdMs);
    await settled();
    expect(step()?.kind).toBe("ready");
    expect(desk.find("pay-1")?.problem).toBe("Your answer was not taken: it was decided before");
    expect(said.at(-1)).toBe("Your answer was not taken: it was decided before");
  });

  it("by silence says that it is not known, and nothing is called approved", async () => {
    const { desk, time, press, step } = openDesk(async () => {
      throw new Problem("timeout", "The gateway took too long to answer.");
    });
    desk.open(fakeApproval());
    press({ decision: "approve" });
    time.advance(holdMs);
    await settled();
    expect(step()?.kind).toBe("ready");
    expect(desk.find("pay-1")?.problem).toContain("not known whether your answer arrived");
  });
});

describe("a denial of the whole run", () => {
  it("denies the others after the same hold, each with its own hash and the reason", async () => {
    const { desk, time, calls, press } = openDesk(async ({ call_id }) => {
      if (call_id === "pay-3") throw new Problem("refused", "too late");
      return accepted();
    });
    desk.open(fakeApproval());
    const others = ["pay-2", "pay-3"].map((call_id) => fakeApproval({ call_id, arguments_hash: `sha256:${call_id}` }));
    press({ decision: "deny_continue", reason: "no", isOfRun: true }, others);
    time.advance(holdMs);
    await settled();
    expect(calls.map(({ call_id, arguments_hash, reason }) => [call_id, arguments_hash, reason])).toEqual([
      ["pay-1", "sha256:1", "no"],
      ["pay-2", "sha256:pay-2", "no"],
      ["pay-3", "sha256:pay-3", "no"],
    ]);
    expect(desk.note.value).toBe("1 more call of this run was denied. 1 more could not be denied: too late");
  });
});
