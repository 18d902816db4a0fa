// Gemini's and Bedrock's wires through the runtime's model layer, whose client libraries read them.
import { afterEach, describe, expect, test } from "vitest";
import {
  modelsOf,
  onePixel,
  testModel,
  testProvider,
  turnRequest,
} from "../../agent-runtime/model/testing/fixtures.ts";
import { userMessage, weatherTool } from "../../agent-runtime/model/testing/fixtures.ts";
import type { ModelMessage, TurnResult } from "../../agent-runtime/model/types.ts";
import { defined } from "../../lib/process/defined.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { startModelMock, type ModelMock } from "./model-mock.ts";
import { vendorErrors, type ScriptedReply } from "./script.ts";

let mock: ModelMock | undefined;
afterEach(() => mock?.close());

const kinds = [
  ["google", "gemini-3-pro-preview", "/v1beta"],
  ["bedrock", "eu.anthropic.claude-opus-4-6-v1:0", ""],
] as const;

async function start(kind: "google" | "bedrock", name: string, base: string, replies: ScriptedReply[]) {
  mock = await startModelMock(replies);
  const provider = testProvider({ name: "p", kind, baseUrl: `${mock.origin}${base}`, region: "eu-central-1" });
  const clock = new ManualClock();
  const models = modelsOf(provider, [testModel("p", name)], { clock });
  // Too short for a second try.
  return (messages: ModelMessage[]) =>
    models.turn(turnRequest({ messages, tools: [weatherTool], deadlineMs: clock.now() + 900 }));
}

const bern = { name: weatherTool.name, arguments: { place: "Bern" }, id: "call_a" };
const basel = { name: weatherTool.name, arguments: { place: "Basel" }, id: "call_b" };

const afterCalls = ({ text, toolCalls, opaque }: TurnResult): ModelMessage[] => [
  { role: "assistant", text, toolCalls, ...defined({ opaque }) },
  {
    role: "tool",
    results: toolCalls.map(({ id, name }) => ({ callId: id, name, text: "sun", images: [], isError: false })),
  },
];

describe.each(kinds)("CFG-2 %s", (kind, name, base) => {
  test("a loop of parallel calls with reasoning ends with the answer, and nothing is refused", async () => {
    const usage = { input: 12, output: 7, cacheRead: 5, reasoning: 3 };
    const turn = await start(kind, name, base, [
      { reasoning: "hm", text: ["I ", "look."], toolCalls: [bern, basel], usage },
      { text: "Sunny." },
    ]);
    const picture = { type: "image" as const, ...onePixel };
    const opening: ModelMessage = { role: "user", content: [{ type: "text", text: "weather?" }, picture] };
    const first = await turn([opening]);
    expect(first).toMatchObject({
      text: "I look.",
      stopReason: "tool-calls",
      toolCalls: [{ arguments: { place: "Bern" } }, { arguments: { place: "Basel" } }],
    });
    const counted = { google: { input: 7, cache_hit: 5, reasoning: 3 }, bedrock: { input: 12, cache_hit: 5 } };
    expect(first.usage).toMatchObject({ output: 7, ...counted[kind] });
    expect(await turn([opening, ...afterCalls(first)])).toMatchObject({ text: "Sunny.", stopReason: "end" });
    expect(mock?.refused).toEqual([]);
    expect(mock?.requests).toHaveLength(2);
  });

  test("an answer that was cut by the limit says so", async () => {
    const turn = await start(kind, name, base, [{ text: "half", stop: "length" }]);
    expect(await turn([userMessage("x")])).toMatchObject({ text: "half", stopReason: "length" });
  });

  test("a connection that is cut in the middle is a network fault", async () => {
    const turn = await start(kind, name, base, [{ text: ["a", "b"], cutAfterFrames: 1 }]);
    await expect(turn([userMessage("x")])).rejects.toMatchObject({ kind: "network" });
  });

  test("whole answers are told by the path", async () => {
    mock = await startModelMock([{ text: "a", toolCalls: [bern] }]);
    const { path, body, expected } = {
      google: {
        path: "/v1beta/models/m:generateContent",
        body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
        expected: {
          candidates: [{ content: { parts: [{ text: "a" }, { functionCall: { args: { place: "Bern" } } }] } }],
        },
      },
      bedrock: {
        path: "/model/m/converse",
        body: { messages: [{ role: "user", content: [{ text: "hi" }] }] },
        expected: { stopReason: "tool_use", output: { message: { content: [{ text: "a" }, { toolUse: {} }] } } },
      },
    }[kind];
    const answer = await fetch(`${mock.origin}${path}`, { method: "POST", body: JSON.stringify(body) });
    expect(await answer.json()).toMatchObject(expected);
  });

  test.each(vendorErrors)("AGT-7 error %s has its kind", async (error) => {
    const turn = await start(kind, name, base, [{ error }]);
    await expect(turn([userMessage("x")])).rejects.toMatchObject({ kind: error });
  });
});

test("bedrock: an exception in the stream is the error that it names", async () => {
  const event = "throttlingException";
  const turn = await start("bedrock", "amazon.nova-pro-v1:0", "", [
    { text: "a", errorFrame: { afterFrames: 1, event, data: { message: "Too many requests" } } },
  ]);
  await expect(turn([userMessage("x")])).rejects.toMatchObject({ kind: "rate_limit", status: 429 });
});
