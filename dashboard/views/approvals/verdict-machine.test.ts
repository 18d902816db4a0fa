import { describe, expect, it } from "vitest";
import {
  holdMs,
  openCard,
  quietMs,
  step,
  type Panel,
  type Step,
  type Verdict,
  type VerdictEvent,
  type VerdictState,
} from "./verdict-machine.ts";

const serverStart = Date.parse("2026-11-24T14:06:00Z");
const approve: Verdict = { decision: "approve" };

/** A machine with its own time; collects what is to be sent. */
function drive(hash = "h1") {
  let elapsedMs = 0;
  const moment = () => ({ elapsedMs, serverMs: serverStart + elapsedMs });
  let state = openCard(hash, moment());
  const sent: Verdict[] = [];
  const act = (event: VerdictEvent) => {
    const stepped = step(state, event, moment());
    ({ state } = stepped);
    if (stepped.send !== undefined) sent.push(stepped.send);
    return state.step;
  };
  return {
    act,
    sent,
    get state() {
      return state;
    },
    wait(ms: number) {
      elapsedMs += ms;
      return act({ kind: "time" });
    },
    choose: (verdict: Verdict = approve, why: readonly string[] = []) => act({ kind: "chosen", verdict, why }),
    at: () => serverStart + elapsedMs,
  };
}

/** Open for so long that presses count. */
function driveReady() {
  const machine = drive();
  machine.wait(quietMs);
  return machine;
}

describe("a card that has just been opened", () => {
  it("takes no press in the first 600 ms", () => {
    const machine = drive();
    machine.wait(quietMs - 1);
    expect(machine.choose().kind).toBe("ready");
    expect(machine.act({ kind: "open", panel: "denying" }).kind).toBe("ready");
    machine.wait(1);
    expect(machine.choose().kind).toBe("held");
  });

  it("waits again when it is shown again", () => {
    const machine = driveReady();
    machine.act({ kind: "shown", hash: "h1" });
    expect(machine.choose().kind).toBe("ready");
    machine.wait(quietMs);
    expect(machine.choose().kind).toBe("held");
  });
});

describe("a press without reason for a second step", () => {
  it("is held for 3 s and then sent, once", () => {
    const machine = driveReady();
    expect(machine.choose()).toMatchObject({ kind: "held", leftSeconds: 3 });
    expect(machine.wait(holdMs - 1)).toMatchObject({ kind: "held", leftSeconds: 1 });
    expect(machine.sent).toEqual([]);
    expect(machine.wait(1).kind).toBe("sending");
    machine.wait(holdMs);
    expect(machine.sent).toEqual([approve]);
  });

  it("tells the seconds that are left, rounded up", () => {
    const machine = driveReady();
    machine.choose();
    expect(machine.wait(1)).toMatchObject({ leftSeconds: 3 });
    expect(machine.wait(999)).toMatchObject({ leftSeconds: 2 });
  });

  it("can be taken back while it is held, but not by the same press", () => {
    const machine = driveReady();
    machine.choose();
    expect(machine.act({ kind: "back" }).kind).toBe("held");
    machine.wait(quietMs);
    expect(machine.act({ kind: "back" }).kind).toBe("ready");
    machine.wait(holdMs);
    expect(machine.sent).toEqual([]);
  });

  it("is followed by no other one", () => {
    const machine = driveReady();
    machine.choose();
    machine.wait(quietMs);
    expect(machine.choose({ decision: "deny_abort" })).toMatchObject({ verdict: approve });
    expect(machine.act({ kind: "open", panel: "denying" }).kind).toBe("held");
    expect(machine.act({ kind: "confirmed" }).kind).toBe("held");
  });
});

describe("a press with reason for a second step", () => {
  it("is held only after the second press, and not within 600 ms of the first", () => {
    const machine = driveReady();
    expect(machine.choose(approve, ["it may delete"])).toMatchObject({ kind: "confirming", why: ["it may delete"] });
    expect(machine.act({ kind: "confirmed" }).kind).toBe("confirming");
    machine.wait(quietMs);
    expect(machine.act({ kind: "confirmed" }).kind).toBe("held");
    machine.wait(holdMs);
    expect(machine.sent).toEqual([approve]);
  });

  it("goes back to where it came from", () => {
    const machine = driveReady();
    machine.act({ kind: "open", panel: "editing" });
    machine.wait(quietMs);
    machine.choose({ decision: "approve", arguments: { a: 1 } }, ["edited"]);
    machine.wait(quietMs);
    expect(machine.act({ kind: "back" }).kind).toBe("editing");
  });
});

describe("a panel", () => {
  it.each(["scope", "more", "denying", "editing", "answering"] satisfies Panel[])("%s opens and closes", (panel) => {
    const machine = driveReady();
    expect(machine.act({ kind: "open", panel }).kind).toBe(panel);
    expect(machine.act({ kind: "back" }).kind).toBe(panel);
    machine.wait(quietMs);
    expect(machine.act({ kind: "back" }).kind).toBe("ready");
  });

  it("keeps what was typed, over Back, a hold that is taken back, and a refusal", () => {
    const machine = driveReady();
    machine.act({ kind: "open", panel: "denying" });
    machine.act({ kind: "typed", drafts: { reason: "wrong" } });
    machine.wait(quietMs);
    machine.choose({ decision: "deny_continue", reason: "wrong" });
    machine.wait(quietMs);
    expect(machine.act({ kind: "back" }).kind).toBe("denying");
    machine.wait(quietMs);
    machine.choose({ decision: "deny_continue", reason: "wrong" });
    machine.wait(holdMs);
    expect(machine.act({ kind: "refused", message: "no" }).kind).toBe("denying");
    expect(machine.state).toMatchObject({ drafts: { reason: "wrong" }, problem: "no" });
  });

  it("is not disturbed by typing", () => {
    const machine = driveReady();
    machine.act({ kind: "open", panel: "answering" });
    machine.wait(quietMs);
    machine.act({ kind: "typed", drafts: { answer: "x" } });
    expect(machine.choose({ decision: "answer", answer: "x" }).kind).toBe("held");
  });
});

describe("what was sent", () => {
  it("counts only when the gateway took it", () => {
    const machine = driveReady();
    machine.choose();
    expect(machine.act({ kind: "taken" }).kind).toBe("held");
    machine.wait(holdMs);
    expect(machine.act({ kind: "taken" })).toEqual({
      kind: "over",
      ending: { kind: "mine", earlierByMs: undefined, wasPressed: true },
    });
  });

  it("that was refused can be pressed again, after 600 ms, and the problem goes with the next press", () => {
    const machine = driveReady();
    machine.choose();
    machine.wait(holdMs);
    machine.act({ kind: "refused", message: "arguments: too long" });
    expect(machine.state.problem).toBe("arguments: too long");
    expect(machine.choose().kind).toBe("ready");
    machine.wait(quietMs);
    expect(machine.choose().kind).toBe("held");
    expect(machine.state.problem).toBeUndefined();
  });

  it("waits for its own answer where the gateway shows one's own decision before", () => {
    const machine = driveReady();
    machine.choose();
    machine.wait(holdMs);
    expect(machine.act({ kind: "ended", by: "me", at: machine.at() }).kind).toBe("sending");
    expect(machine.act({ kind: "taken" })).toMatchObject({ ending: { kind: "mine" } });
  });
});

describe("a lost connection", () => {
  it("sends nothing of what is held, and says so", () => {
    const machine = driveReady();
    machine.choose();
    expect(machine.act({ kind: "lost", message: "lost" }).kind).toBe("ready");
    expect(machine.state.problem).toBe("lost");
    machine.wait(holdMs);
    expect(machine.sent).toEqual([]);
  });

  it.each(["ready", "sending"])("changes nothing while %s", (kind) => {
    const machine = driveReady();
    if (kind === "sending") {
      machine.choose();
      machine.wait(holdMs);
    }
    const before = machine.state;
    machine.act({ kind: "lost", message: "lost" });
    expect(machine.state).toBe(before);
  });
});

describe("somebody else's decision", () => {
  it("ends the card at once, with what was typed kept", () => {
    const machine = driveReady();
    machine.act({ kind: "open", panel: "denying" });
    machine.act({ kind: "typed", drafts: { reason: "no" } });
    expect(machine.act({ kind: "ended", by: "other", at: machine.at() })).toEqual({
      kind: "over",
      ending: { kind: "other", earlierByMs: undefined, wasPressed: false },
    });
    expect(machine.state.drafts.reason).toBe("no");
  });

  it("within the hold says by how much it was earlier, and nothing is sent", () => {
    const machine = driveReady();
    machine.choose();
    machine.wait(1_000);
    expect(machine.act({ kind: "ended", by: "other", at: machine.at() })).toMatchObject({
      ending: { kind: "other", earlierByMs: 2_000, wasPressed: true },
    });
    machine.wait(holdMs);
    expect(machine.sent).toEqual([]);
  });

  it("while one's own is on its way is compared with when that was sent, never below nothing", () => {
    const machine = driveReady();
    machine.choose();
    machine.wait(holdMs);
    const sentAt = machine.at();
    machine.wait(400);
    expect(machine.act({ kind: "ended", by: "other", at: sentAt + 100 })).toMatchObject({ ending: { earlierByMs: 0 } });
    expect(machine.act({ kind: "refused", message: "late" }).kind).toBe("over");
  });

  it("is the last word", () => {
    const machine = driveReady();
    machine.act({ kind: "ended", by: "nobody", at: machine.at() });
    machine.wait(quietMs);
    const { state } = machine;
    const events: VerdictEvent[] = [
      { kind: "ended", by: "other", at: 0 },
      { kind: "open", panel: "denying" },
      { kind: "chosen", verdict: approve, why: [] },
      { kind: "confirmed" },
      { kind: "back" },
      { kind: "time" },
      { kind: "taken" },
      { kind: "refused", message: "x" },
      { kind: "lost", message: "x" },
    ];
    for (const event of events) machine.act(event);
    expect(machine.state).toBe(state);
    expect(machine.state.step).toMatchObject({ ending: { kind: "expired", wasPressed: false } });
  });
});

describe("other arguments than were on the screen", () => {
  it("take back what is held or half confirmed, and count from then on", () => {
    for (const why of [[], ["careful"]]) {
      const machine = driveReady();
      machine.choose(approve, why);
      expect(machine.act({ kind: "shown", hash: "h2" }).kind).toBe("ready");
      expect(machine.state.hash).toBe("h2");
      machine.wait(holdMs);
      expect(machine.sent).toEqual([]);
    }
  });

  it("leave an open panel open", () => {
    const machine = driveReady();
    machine.act({ kind: "open", panel: "denying" });
    expect(machine.act({ kind: "shown", hash: "h2" }).kind).toBe("denying");
  });
});

describe("every state", () => {
  const verdicts: Verdict[] = [approve, { decision: "deny_abort" }];
  const steps: Step[] = [
    { kind: "ready" },
    { kind: "denying" },
    { kind: "confirming", verdict: approve, why: ["x"], from: "ready" },
    { kind: "held", verdict: approve, from: "ready", sendAtMs: 5_000, leftSeconds: 3 },
    { kind: "sending", verdict: approve, from: "ready", sentAt: serverStart },
    { kind: "over", ending: { kind: "other", earlierByMs: undefined, wasPressed: false } },
  ];
  const events: VerdictEvent[] = [
    { kind: "open", panel: "editing" },
    ...verdicts.flatMap((verdict): VerdictEvent[] => [
      { kind: "chosen", verdict, why: [] },
      { kind: "chosen", verdict, why: ["x"] },
    ]),
    { kind: "confirmed" },
    { kind: "back" },
    { kind: "time" },
    { kind: "taken" },
    { kind: "refused", message: "x" },
    { kind: "lost", message: "x" },
    { kind: "ended", by: "me", at: 0 },
    { kind: "ended", by: "other", at: 0 },
    { kind: "ended", by: "nobody", at: 0 },
    { kind: "shown", hash: "h1" },
  ];
  const stateOf = (each: Step, quietUntilMs: number): VerdictState => ({
    ...openCard("h1", { elapsedMs: 0, serverMs: serverStart }),
    step: each,
    quietUntilMs,
  });

  it("sends only out of a hold whose time is over", () => {
    for (const each of steps) {
      for (const event of events) {
        for (const elapsedMs of [4_999, 5_000]) {
          const { send } = step(stateOf(each, 0), event, { elapsedMs, serverMs: serverStart });
          const isDue = each.kind === "held" && event.kind === "time" && elapsedMs === 5_000;
          expect(send !== undefined, `${each.kind}, ${event.kind} at ${elapsedMs}`).toBe(isDue);
        }
      }
    }
  });

  it("stays as it is on any press in its first moment", () => {
    for (const each of steps) {
      for (const event of events.filter(({ kind }) => ["open", "chosen", "confirmed", "back"].includes(kind))) {
        const state = stateOf(each, 1_000);
        expect(step(state, event, { elapsedMs: 999, serverMs: serverStart }).state).toBe(state);
      }
    }
  });

  it("begins a new moment with every change of the bar", () => {
    for (const each of steps) {
      for (const event of events) {
        const { state } = step(stateOf(each, 0), event, { elapsedMs: 5_000, serverMs: serverStart });
        const isChanged = state.step.kind !== each.kind;
        expect(!isChanged || state.quietUntilMs === 5_600, `${each.kind}, ${event.kind}`).toBe(true);
      }
    }
  });
});
