// What an editor left redacted comes back, at its own place only.
import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";
import { restoreRedacted } from "./restore.ts";

const real = { card: { number: "4111", cvc: "123" }, amount: 40, items: [{ key: "a" }, { key: "b" }] };

describe("MGM-6 restoreRedacted", () => {
  it.each([[["/card"]], [["/card/number"]], [["/items/*/key"]], [["/items/0/key", "/card/*"]], [[""]], [[]]])(
    "gives back what was left as it was shown: %j",
    (pointers) => {
      const shown = redact(real, pointers);
      expect(restoreRedacted(shown, real, pointers)).toEqual({ value: real, isIncomplete: false });
    },
  );

  it("keeps what was edited beside it", () => {
    const edited = { card: "[redacted]", amount: 10, note: "less" };
    expect(restoreRedacted(edited, real, ["/card"])).toEqual({
      value: { card: real.card, amount: 10, note: "less" },
      isIncomplete: false,
    });
  });

  it("keeps what was put in its place", () => {
    const edited = { ...real, card: { number: "5500" } };
    expect(restoreRedacted(edited, real, ["/card"])).toEqual({ value: edited, isIncomplete: false });
  });

  it("moves nothing to another place", () => {
    expect(restoreRedacted({ amount: "[redacted]" }, real, ["/card"]).value).toEqual({ amount: "[redacted]" });
    const moved = restoreRedacted({ other: "[redacted]", card: 1 }, real, ["/*"]);
    expect(moved).toEqual({ value: { other: "[redacted]", card: 1 }, isIncomplete: true });
  });

  it("gives back nothing where more was taken out than was shown so", () => {
    const edited = { card: "[redacted]" };
    expect(restoreRedacted(edited, real, ["/card/number"])).toEqual({ value: edited, isIncomplete: true });
  });

  it("gives back nothing in a list from which something was taken", () => {
    const edited = { ...real, items: [{ key: "[redacted]" }] };
    expect(restoreRedacted(edited, real, ["/items/*/key"])).toEqual({ value: edited, isIncomplete: true });
  });

  it("gives back nothing where the real one was not there", () => {
    expect(restoreRedacted({ pin: "[redacted]" }, real, ["/pin"]).isIncomplete).toBe(true);
    expect(restoreRedacted({ card: { pin: "[redacted]" } }, real, ["/card/pin"]).isIncomplete).toBe(true);
  });

  it("sees own members only", () => {
    const edited = JSON.parse('{"__proto__":"[redacted]","constructor":"[redacted]"}');
    const { value, isIncomplete } = restoreRedacted(edited, real, ["/__proto__", "/constructor"]);
    expect([JSON.stringify(value), isIncomplete]).toEqual([JSON.stringify(edited), true]);
  });

  it("takes no stack for depth that no pointer leads into", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(restoreRedacted({ deep, card: "[redacted]" }, { ...real, deep }, ["/card"]).isIncomplete).toBe(false);
  });
});
