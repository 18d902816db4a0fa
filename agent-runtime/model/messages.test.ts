// What of a history is replaced or left out before it goes to a provider.
import { describe, expect, test } from "vitest";
import { renderMessages, type RenderOptions } from "./messages.ts";
import { userMessage } from "./testing/fixtures.ts";
import type { ModelMessage } from "./types.ts";

const options: RenderOptions<never[]> = {
  vision: true,
  pdf: true,
  imagesInToolResults: false,
  cacheBreakpoints: false,
  readOpaque: () => undefined,
  callId: (id) => `<${id}>`,
  refusesUserAfterTool: false,
  wantsReasoning: false,
};
const answer = (text: string, name = "read"): ModelMessage => ({
  role: "assistant",
  text,
  toolCalls: [{ id: "a", name, arguments: {} }],
});
const result = (text: string, name = "read"): ModelMessage => ({
  role: "tool",
  results: [{ callId: "a", name, text, images: [], isError: false }],
});

describe("AGT-15 a history as a provider takes it", () => {
  test("texts without a letter are left out, or said in words where something must stand", () => {
    expect(renderMessages([userMessage(" \n"), answer("\n\n"), result(" ")], options)).toMatchObject([
      { role: "user", content: [{ type: "text", text: "(no text)" }] },
      { role: "assistant", content: [{ type: "tool-call" }] },
      { role: "tool", content: [{ output: { value: "(no output)" } }] },
    ]);
    expect(renderMessages([{ role: "assistant", text: " ", toolCalls: [] }], options)).toEqual([]);
  });

  test("calls and their results go by the same name and id", () => {
    const [call, output] = renderMessages([answer("x", "1st tool"), result("y", "1st tool")], options);
    expect(call).toMatchObject({ content: [{ type: "text" }, { toolCallId: "<a>", toolName: "_1st_tool_" }] });
    expect(output).toMatchObject({ content: [{ toolCallId: "<a>", toolName: "_1st_tool_" }] });
  });

  test("two messages of the user in a row are one", () => {
    expect(renderMessages([userMessage("a"), userMessage("b")], { ...options, cacheBreakpoints: true })).toMatchObject([
      { role: "user", content: [{ text: "a" }, { text: "b" }], providerOptions: {} },
    ]);
  });

  test("an answer stands between results and the user only where it must, a stand-in for reasoning only where wanted", () => {
    const history = [userMessage("a"), answer("x"), result("y"), userMessage("b")];
    const roles = (changed: Partial<typeof options>) => renderMessages(history, { ...options, ...changed });
    expect(roles({}).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    const bridged = roles({ refusesUserAfterTool: true, wantsReasoning: true });
    expect(bridged.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
    expect(bridged[1]).toMatchObject({ content: [{ type: "reasoning" }, { type: "text" }, { type: "tool-call" }] });
  });
});
