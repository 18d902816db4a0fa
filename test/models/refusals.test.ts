import { afterEach, describe, expect, test } from "vitest";
import type { Script } from "./conversations.ts";
import { startModelMock, type ModelMock, type ModelMockOptions } from "./model-mock.ts";

let mock: ModelMock | undefined;
afterEach(() => mock?.close());

async function start(script: Script, options: ModelMockOptions = {}): Promise<ModelMock> {
  mock = await startModelMock(script, options);
  return mock;
}

const post = (origin: string, path: string, body: unknown) =>
  fetch(`${origin}${path}`, { method: "POST", body: JSON.stringify(body) });

const messages = [{ role: "user", content: "hi" }];
const chat = "/v1/chat/completions";

describe("a request that the vendor refuses", () => {
  test("gets the vendor's answer, uses up no reply, and is written down", async () => {
    const { origin } = await start([{ text: "a" }]);
    const first = await post(origin, "/v1/messages", { model: "m", messages });
    expect(first.status).toBe(400);
    expect(await first.json()).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "max_tokens: Field required" },
      request_id: "req_1",
    });
    const second = await post(origin, "/v1/messages", { model: "m", max_tokens: 1, messages });
    expect(await second.json()).toMatchObject({ content: [{ text: "a" }] });
    expect(mock?.requests.map(({ refusal }) => refusal?.rule)).toEqual(["output limit", undefined]);
    expect(mock?.refused).toMatchObject([{ refusal: { vendor: "anthropic", message: "max_tokens: Field required" } }]);
  });

  test.each([
    ["/v1/messages", {}, "anthropic"],
    ["/v1/responses", {}, "openai-responses"],
    [chat, {}, "openai-compatible"],
    ["/v1beta/models/m:generateContent", {}, "google"],
    ["/model/m/converse", {}, "bedrock"],
  ])("%s is judged by the vendor of the API", async (path, body, vendor) => {
    const { origin } = await start([{ text: "a" }]);
    expect((await post(origin, path, body)).status).toBe(400);
    expect(mock?.refused).toMatchObject([{ refusal: { vendor } }]);
  });

  test("is taken by a mock that is told to be lenient", async () => {
    const { origin } = await start([{ text: "a" }], { vendor: "lenient" });
    expect((await post(origin, chat, {})).status).toBe(200);
    expect(mock?.refused).toEqual([]);
  });

  test("is judged by the vendor that a test names, without the rules that it leaves out", async () => {
    const body = { model: "m", top_k: 1, messages };
    const { origin } = await start(() => ({ text: "a" }), { vendor: "groq" });
    expect((await post(origin, chat, body)).status).toBe(400);
    await mock?.close();
    const other = await start(() => ({ text: "a" }), { vendor: { name: "groq", without: ["unknown field"] } });
    expect((await post(other.origin, chat, body)).status).toBe(200);
  });

  test("keeps to the limits that a test sets", async () => {
    const { origin } = await start(() => ({ text: "a" }), { vendor: { name: "vllm", contextWindow: 100 } });
    expect((await post(origin, chat, { model: "m", max_tokens: 90, messages })).status).toBe(200);
    expect((await post(origin, chat, { model: "m", max_tokens: 99, messages })).status).toBe(400);
  });

  test("in a stream of responses comes after a 200", async () => {
    const { origin } = await start([], { vendor: { name: "openai-responses", contextWindow: 1 } });
    const answer = await post(origin, "/v1/responses", { model: "m", input: "too long a text", stream: true });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toContain('"code":"context_length_exceeded"');
  });
});

describe("a mock that was set up wrongly says so", () => {
  test("when a rule to leave out does not exist", async () => {
    const vendor = { name: "groq", without: ["no such rule"] } as const;
    await expect(startModelMock([], { vendor })).rejects.toThrow(
      "groq has no rule 'no such rule' to leave out; it has: ",
    );
  });

  test("when the vendor does not have the API that is called", async () => {
    const { origin } = await start([], { vendor: "groq" });
    const answer = await post(origin, "/v1/messages", { model: "m", max_tokens: 1, messages });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { message: "groq has no /v1/messages" } });
    expect(mock?.refused).toMatchObject([{ refusal: { rule: "api" } }]);
  });
});
