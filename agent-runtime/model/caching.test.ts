// Where Anthropic's prompt cache is told to break, as it arrives.
import { afterEach, describe, expect, test } from "vitest";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";
import { modelsOf, onePixel, testModel, testProvider, turnRequest } from "./testing/fixtures.ts";
import { userMessage, weatherTool } from "./testing/fixtures.ts";
import type { ModelMessage } from "./types.ts";

let mock: ModelMock;
afterEach(() => mock.close());

/** One step of a conversation: a call and its result. */
const step = (id: string): ModelMessage[] => [
  { role: "assistant", text: "", toolCalls: [{ id, name: weatherTool.name, arguments: {} }] },
  { role: "tool", results: [{ callId: id, name: weatherTool.name, text: id, images: [], isError: false }] },
];

async function send(messages: ModelMessage[], kind: "anthropic" | "openai-compatible" = "anthropic") {
  mock = await startModelMock([{ text: "ok" }]);
  const baseUrl = kind === "anthropic" ? mock.origin : mock.openaiUrl;
  const models = modelsOf(testProvider({ name: "p", kind, baseUrl }), [testModel("p", "claude-opus-4-6")]);
  await models.turn(turnRequest({ messages, tools: [weatherTool] }));
  return mock.requests[0]?.body;
}

/** Paths below the body at which a breakpoint stands. */
function breakpoints(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "cache_control" ? [path] : breakpoints(inner, path === "" ? key : `${path}.${key}`),
  );
}

describe("CFG-3 prompt caching of Anthropic", () => {
  test("a first message: one breakpoint behind tools and system prompt, one behind the message", async () => {
    expect(breakpoints(await send([userMessage("hi")]))).toEqual(["system.0", "messages.0.content.0"]);
  });

  test("a long conversation: behind the system prompt and behind the two last turns, never more than four", async () => {
    const messages = [userMessage("hi"), ...Array.from({ length: 20 }, (_, index) => step(`call${index}`)).flat()];
    const found = breakpoints(await send(messages));
    expect(found).toEqual(["system.0", "messages.38.content.0", "messages.40.content.0"]);
  });

  test("the last of several results carries it, and an image moved behind an error too", async () => {
    const calls = ["a", "b"].map((id) => ({ id, name: weatherTool.name, arguments: {} }));
    const result = { name: weatherTool.name, text: "x", images: [onePixel] };
    const messages: ModelMessage[] = [
      userMessage("hi"),
      { role: "assistant", text: "", toolCalls: calls },
      { role: "tool", results: calls.map(({ id }, index) => ({ ...result, callId: id, isError: index === 1 })) },
    ];
    const found = breakpoints(await send(messages));
    expect(found.filter((path) => path.startsWith("messages.2"))).toEqual(["messages.2.content.3"]);
  });

  test("no other provider hears of it", async () => {
    expect(breakpoints(await send([userMessage("hi")], "openai-compatible"))).toEqual([]);
  });
});
