// What a decision makes of a call: nothing that the tool would not take or give.
import { describe, expect, it } from "vitest";
import type { ApprovalDecision } from "../../crds/approval.ts";
import { createDecision } from "../policy/policy.ts";
import { applyDecision, renderAnswer } from "./decided.ts";

const inputSchema = {
  type: "object" as const,
  properties: { amount: { type: "number", maximum: 100 }, card: { type: "string" } },
  required: ["amount"],
};
const outputSchema = { type: "object", properties: { paid: { type: "number" } }, required: ["paid"] };
const call = { args: { amount: 1, card: "4111" }, definition: { inputSchema } };
const promising = { ...call, definition: { inputSchema, outputSchema } };
const asked = createDecision({ action: "ask", redact: ["/card"] });

const decision = (more: Partial<ApprovalDecision> & Pick<ApprovalDecision, "verdict">): ApprovalDecision => ({
  argumentsHash: `sha256:${"0".repeat(64)}`,
  by: "eve",
  at: "2026-01-01T00:00:00Z",
  ...more,
});
const denied = (reason: unknown, action = "denyContinue") => ({ denied: expect.objectContaining({ action, reason }) });

describe("MGM-6 a decision", () => {
  it("lets the call go as it was", () => {
    expect(applyDecision(decision({ verdict: "approve" }), call, asked)).toEqual({ args: call.args });
  });

  it.each([
    [
      "what it takes, with what was kept from them",
      '{"amount":100,"card":"[redacted]"}',
      { amount: 100, card: "4111" },
    ],
    ["another text for what was kept", '{"amount":2,"card":"5500"}', { amount: 2, card: "5500" }],
  ])("lets it go with %s", (_, edited, args) => {
    expect(applyDecision(decision({ verdict: "approveEdited", arguments: edited }), call, asked)).toEqual({ args });
  });

  it.each([
    ["not of its schema", '{"amount":101}', /amount/],
    ["no object", "[1]", /./],
    ["no JSON", "{", /./],
  ])("denies it with arguments that are %s", (_, edited, reason) => {
    const applied = applyDecision(decision({ verdict: "approveEdited", arguments: edited }), call, asked);
    expect(applied).toEqual(
      denied(expect.stringMatching(/^the call cannot be made with the arguments that eve wrote: /)),
    );
    expect(applied).toEqual(denied(expect.stringMatching(reason)));
  });

  it("denies it with a mark of what was kept where nothing was", () => {
    const bare = { ...call, args: { amount: 1 } };
    const edited = decision({ verdict: "approveEdited", arguments: '{"amount":1,"card":"[redacted]"}' });
    expect(applyDecision(edited, bare, asked)).toEqual(denied(expect.stringMatching(/stands for nothing$/)));
  });

  it.each(["denyContinue", "denyAbort"] as const)("%s says why, or who it was", (verdict) => {
    expect(applyDecision(decision({ verdict, reason: "too much" }), call, asked)).toEqual(denied("too much", verdict));
    expect(applyDecision(decision({ verdict }), call, asked)).toEqual(denied("eve denied the call", verdict));
  });
});

describe("MGM-6 an answer in the call's place", () => {
  const answer = (text: string) => decision({ verdict: "answer", answer: text });

  it("is any text where the tool promises nothing", () => {
    expect(applyDecision(answer("paid by hand"), call, asked)).toEqual({ answer: { text: "paid by hand" } });
  });

  it("is what the tool promises, as text and as a value", () => {
    const applied = applyDecision(answer('{"paid":1}'), promising, asked);
    expect(applied).toEqual({ answer: { text: '{"paid":1}', structuredContent: { paid: 1 } } });
    expect("answer" in applied && renderAnswer(applied.answer)).toEqual({
      content: [{ type: "text", text: '{"paid":1}' }],
      structuredContent: { paid: 1 },
    });
  });

  it.each(["paid by hand", '{"paid":"1"}', "{}", "null", "[]"])("is nothing else: %s", (text) => {
    const reason = expect.stringMatching(/^the answer that eve gave is not what the tool returns: /);
    expect(applyDecision(answer(text), promising, asked)).toEqual(denied(reason));
  });
});
