// What an approval shows of a call, and what it is bound to.
import { describe, expect, it } from "vitest";
import { createDecision } from "../policy/policy.ts";
import { hashCalledTool, isOtherTool, type CalledTool } from "./called-tool.ts";
import { renderQuestion } from "./question.ts";

const definition: CalledTool = {
  description: "Pays.",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", required: ["paid"] },
  annotations: { destructiveHint: true },
};
const by = { sessionHash: "0".repeat(64), caller: "ann", chain: [{ caller: "ann" }] };
const policy = { name: "careful", generation: 3 };
const asked = createDecision({ action: "ask", rule: "pay", redact: ["/card"] });

const ask = (args: Record<string, unknown>, tool: CalledTool = definition) =>
  renderQuestion({ server: "bank", tool: "pay", definition: tool, args }, by, asked, policy);

describe("MGM-6 a question", () => {
  it("shows the call and its tool, without what the rule redacts", () => {
    expect(ask({ amount: 1, card: "4111" })).toEqual({
      question: {
        ...by,
        server: "bank",
        tool: "pay",
        toolHash: hashCalledTool("pay", definition),
        hints: { destructive: true },
        description: "Pays.",
        inputSchema: '{"type":"object"}',
        outputSchema: '{"type":"object","required":["paid"]}',
        argumentsHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        arguments: '{"amount":1,"card":"[redacted]"}',
        redacted: ["/card"],
        policy: { ...policy, rule: "pay" },
      },
    });
  });

  it("is bound to what is redacted too", () => {
    const hash = (card: string) => {
      const rendered = ask({ card });
      return "question" in rendered ? rendered.question.argumentsHash : undefined;
    };
    expect(hash("4111")).toBe(hash("4111"));
    expect(hash("4111")).not.toBe(hash("4112"));
  });

  it("shows 4,096 characters of the tool's description, and of a longer one the beginning", () => {
    const described = (description: string) => ask({}, { ...definition, description });
    expect(described("x".repeat(4_096))).toMatchObject({ question: { description: "x".repeat(4_096) } });
    expect(described("x".repeat(4_097))).toMatchObject({ question: { description: `${"x".repeat(4_095)}…` } });
    // No half of a character.
    expect(described(`${"x".repeat(4_094)}😀x`)).toMatchObject({ question: { description: `${"x".repeat(4_094)}…` } });
    expect(described("")).not.toHaveProperty("question.description");
  });

  it("leaves schemas out that are longer than 32 KiB", () => {
    const sized = (chars: number): CalledTool => {
      const empty = '{"type":"object","description":""}'.length;
      return { inputSchema: { type: "object", description: "x".repeat(chars - empty) } };
    };
    expect(ask({}, sized(32 * 1024))).toHaveProperty("question.inputSchema");
    expect(ask({}, sized(32 * 1024 + 1))).not.toHaveProperty("question.inputSchema");
  });

  it.each([
    ["longer than 256 KiB", { text: "x".repeat(256 * 1024) }, "arguments have 262155 characters"],
    ["no plain JSON", { text: "\ud800" }, "no plain JSON"],
  ])("cannot be put about arguments that are %s", (_, args, problem) => {
    expect(ask(args)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe("MGM-6 a tool", () => {
  it.each<[string, Partial<CalledTool>]>([
    ["description", { description: "Pays it all." }],
    ["title", { title: "Pay" }],
    ["input", { inputSchema: { type: "object", required: ["amount"] } }],
    ["output", { outputSchema: { type: "object" } }],
    ["hints", { annotations: { readOnlyHint: true } }],
  ])("is another one by its %s", (_, change) => {
    expect(isOtherTool("pay", definition, { ...definition, ...change })).toBe(true);
    expect(isOtherTool("pay", definition, { ...definition })).toBe(false);
    expect(isOtherTool("pay", definition, undefined)).toBe(true);
  });
});
