import { describe, expect, it } from "vitest";
import { parseDraft } from "../../parts/schema-form/json-text.ts";
import { judgeVersion } from "./edited-version.ts";

const asked = {
  arguments: '{"amount":1840,"card":"[redacted]"}',
  schema: JSON.stringify({
    type: "object",
    properties: { amount: { type: "number", maximum: 2000 }, card: { type: "integer" } },
    required: ["amount"],
  }),
  redacted: ["/card"],
};
const judge = (text: string, more = {}) => judgeVersion(parseDraft(text), { ...asked, ...more });

describe("another version of a call", () => {
  it("is sent where it fits the schema", () => {
    expect(judge('{"amount":1000,"card":"[redacted]"}')).toEqual({
      arguments: { amount: 1000, card: "[redacted]" },
      text: '{"amount":1000,"card":"[redacted]"}',
    });
  });

  it("is not sent as long as nothing is changed, however it is written", () => {
    expect(judge('{ "card": "[redacted]", "amount": 1840.0 }')).toMatchObject({ isSame: true });
  });

  it.each([
    ['{"amount":', "A part of it is not JSON yet"],
    ["[1]", "Expected an object"],
    ['{"amount":12345678901234567890}', "12345678901234567890 has more digits"],
    ['{"amount":1,"list":[{"n":0.12345678901234567890}]}', "has more digits"],
    ['{"amount":2001}', "amount: "],
    ['{"card":"[redacted]"}', "amount"],
  ])("%s is not sent, and says why", (text, problem) => {
    const judged = judge(text);
    expect(judged).toMatchObject({ isSame: false });
    expect("problem" in judged && judged.problem).toContain(problem);
  });

  it("may be anything where the schema is not known", () => {
    expect(judge('{"x":1}', { schema: undefined })).toHaveProperty("arguments");
    expect(judge('{"x":1}', { schema: "no JSON" })).toHaveProperty("arguments");
  });
});
