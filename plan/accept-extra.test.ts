// What request.extra may hold, at its limits.
import { describe, expect, test } from "vitest";
import { reservedExtraFields } from "../crds/agent-settings.ts";
import { extraProblems } from "./accept-extra.ts";

const messages = (extra: Record<string, unknown>) =>
  extraProblems("spec.request", { extra }).map(({ message }) => message);

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

describe("CFG-3 request.extra", () => {
  test("takes any JSON of bounded size", () => {
    expect(messages({ seed: 7, chat_template_kwargs: { enable_thinking: false }, list: [null, "a"] })).toEqual([]);
    expect(extraProblems("spec.request", undefined)).toEqual([]);
  });

  test.each(reservedExtraFields)("refuses %s, which is the agent's own", (name) => {
    expect(extraProblems("spec.request", { extra: { [name]: 1 } })).toEqual([
      {
        reason: "InvalidField",
        path: "spec.request.extra",
        message: `"${name}" is set by the agent itself; remove it`,
      },
    ]);
  });

  test("is bounded in depth and in bytes", () => {
    expect(messages({ a: nested(15) })).toEqual([]);
    expect(messages({ a: nested(16) })).toEqual([
      "expected at most 16 levels of nesting, found more; send a flatter value",
    ]);
    const whole = 16 * 1024 - JSON.stringify({ a: "" }).length;
    expect(messages({ a: "x".repeat(whole) })).toEqual([]);
    expect(messages({ a: "x".repeat(whole + 1) })).toEqual([
      "expected at most 16384 bytes of JSON, found 16385; send less",
    ]);
  });
});
