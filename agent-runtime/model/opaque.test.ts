// The provider's own blocks: when they are kept, and how they go back.
import type { AssistantContent } from "ai";
import { describe, expect, test } from "vitest";
import { fitBlocks, parseOpaque, renderOpaque } from "./opaque.ts";
import { testModel } from "./testing/fixtures.ts";

const model = testModel("p", "m");
const callBlock = (toolCallId: string) => ({ type: "tool-call" as const, toolCallId, toolName: "t", input: {} });
const thought = { type: "reasoning" as const, text: "hm" };
const callId = (id: string) => `<${id}>`;

describe("AGT-15 a provider's own blocks", () => {
  test("are kept where text and calls say less: reasoning, and ids that others would not take", () => {
    expect(renderOpaque([{ type: "text", text: "a" }, callBlock("call_1")], model)).toBeUndefined();
    expect(renderOpaque([thought, callBlock("call_1")], model)).toBeDefined();
    expect(renderOpaque([callBlock("functions.t:0")], model)).toEqual({
      model: "p.m",
      content: [callBlock("functions.t:0")],
    });
  });

  test("go back to the model that wrote them alone", () => {
    const opaque = JSON.parse(JSON.stringify(renderOpaque([thought, callBlock("a")], model)));
    const message = { role: "assistant" as const, text: "", toolCalls: [], opaque };
    expect(parseOpaque(message, model)).toEqual([thought, callBlock("a")]);
    expect(parseOpaque(message, testModel("p", "other"))).toBeUndefined();
  });

  test("go back with reasoning, without, or with a stand-in where a call has none", () => {
    const fit = (content: AssistantContent, reasoning: "as-it-came" | "keep" | "omit") =>
      fitBlocks(content, { callId, reasoning });
    const sent = callBlock("<a>");
    expect(fit([thought, callBlock("a")], "as-it-came")).toEqual([thought, sent]);
    expect(fit([thought, callBlock("a")], "keep")).toEqual([thought, sent]);
    expect(fit([thought, callBlock("a")], "omit")).toEqual([sent]);
    expect(fit([callBlock("a")], "as-it-came")).toEqual([sent]);
    expect(fit([callBlock("a")], "keep")).toEqual([{ type: "reasoning", text: expect.stringMatching(/\w/) }, sent]);
    expect(fit([{ type: "text", text: "a" }], "keep")).toEqual([{ type: "text", text: "a" }]);
  });

  test("lose texts without a letter", () => {
    expect(fitBlocks([{ type: "text", text: "\n" }, callBlock("a")], { callId, reasoning: "omit" })).toEqual([
      callBlock("<a>"),
    ]);
    expect(fitBlocks("  ", { callId, reasoning: "omit" })).toEqual([]);
  });
});
