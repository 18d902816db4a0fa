import { describe, expect, it } from "vitest";
import { findCautions, tellRow } from "./caution.ts";
import { compareArguments } from "./difference.ts";
import { summarise } from "./summary.ts";
import { fakeApproval } from "./testing/approval.ts";

function cautionsOf(fields: Record<string, unknown> = {}, isEdited = false): string[] {
  const approval = fakeApproval(fields);
  const last = approval.last_approved;
  const comparison = compareArguments({
    now: approval.arguments ?? "",
    was: last?.arguments,
    redacted: approval.redacted,
    isSame: last?.same_arguments ?? false,
  });
  return findCautions(approval, comparison, isEdited);
}

const same = { arguments: '{"amount":1240,"iban":"DE02"}' };

describe("a second step before approving", () => {
  it("is asked with the values that differ, where the tool may change something", () => {
    expect(cautionsOf()).toEqual(["Other than in the last approved call: amount 1840."]);
    expect(cautionsOf({ hints: undefined })).toHaveLength(1);
    expect(cautionsOf({ hints: { destructive: false } })).toHaveLength(1);
  });

  it("is not asked where the values are the same, or the tool says that it only reads", () => {
    expect(cautionsOf(same)).toEqual([]);
    expect(cautionsOf({ hints: { read_only: true } })).toEqual([]);
  });

  it("is asked where no approved call is kept, even for reading", () => {
    expect(cautionsOf({ last_approved: null, hints: { read_only: true } })).toEqual([
      "No approved call of create_transfer by bookkeeper is kept to compare with.",
    ]);
  });

  it("is asked for a changed definition, hidden characters, deceptive hosts, and an edited version", () => {
    expect(cautionsOf({ ...same, definition_changed: true })).toEqual([
      "The tool's definition has changed since the last approval.",
    ]);
    const hints = { read_only: true };
    expect(cautionsOf({ hints, arguments: '{"a":"x\\u202ey","b\\u200b":1}' })).toEqual(["2 values hide characters."]);
    expect(cautionsOf({ hints, arguments: '{"a":"p\u0430y.com"}' })).toEqual([
      "A host name has letters of several scripts.",
    ]);
    expect(cautionsOf(same, true)).toEqual(["You changed what is sent."]);
  });

  it("names three values and counts the others", () => {
    expect(cautionsOf({ arguments: '{"amount":1,"iban":"x","c":"y","d":2}' })).toEqual([
      "Other than in the last approved call: amount 1, iban x, c y and 1 more.",
    ]);
  });
});

describe("a call in one line", () => {
  it("tells what differs, lines counted, long and hidden values by name alone", () => {
    expect(summarise(fakeApproval())).toBe("amount 1840");
    expect(
      summarise(fakeApproval({ arguments: JSON.stringify({ amount: "x".repeat(61), iban: "a\nb", z: "\u202e" }) })),
    ).toBe("amount, iban, 2 lines changed, z");
  });

  it("tells what is gone, what is the same, and what may not be seen", () => {
    expect(summarise(fakeApproval({ arguments: '{"amount":1240}' }))).toBe("iban gone");
    const last = { ...fakeApproval().last_approved, same_arguments: true };
    expect(summarise(fakeApproval({ last_approved: last }))).toBe("as in the last approved call");
    expect(summarise(fakeApproval({ arguments: undefined }))).toBe("values are for approvers");
    expect(summarise(fakeApproval({ arguments: "{}", last_approved: null }))).toBe("no values");
  });

  it("has a value of 60 characters, and not one of 61", () => {
    const row = (chars: number) => {
      const [found] = compareArguments({
        now: JSON.stringify({ a: "x".repeat(chars) }),
        was: undefined,
        redacted: [],
        isSame: false,
      }).rows;
      return found && tellRow(found);
    };
    expect(row(60)).toBe(`a ${"x".repeat(60)}`);
    expect(row(61)).toBe("a");
  });
});
