// The providers beside the three of the first hour, against a stand-in that speaks Gemini and Bedrock: aimock.
import { LLMock } from "@copilotkit/aimock";
import { afterEach, describe, expect, test, vi } from "vitest";
import { defined } from "../../lib/process/defined.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";
import { modelsOf, present, settings, testKey, testModel, testProvider, turnRequest } from "./testing/fixtures.ts";
import { userMessage, weatherTool } from "./testing/fixtures.ts";
import type { ModelMessage, TurnResult } from "./types.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(closing.splice(0).map((close) => close()));
});

const call = { name: weatherTool.name, arguments: JSON.stringify({ place: "Bern" }) };

/** A mock that calls the tool when asked for Bern, and answers its result. */
async function startAimock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0 });
  mock.on({ userMessage: "Bern", hasToolResult: false }, { toolCalls: [call] });
  mock.on({ hasToolResult: true }, { content: "Sunny." });
  mock.onMessage("fail", { error: { message: "try later", type: "overloaded" }, status: 503 });
  await mock.start();
  closing.push(() => mock.stop());
  return mock;
}

async function startOwn(): Promise<ModelMock> {
  const mock = await startModelMock([{ toolCalls: [{ ...call, arguments: { place: "Bern" } }] }, { text: "Sunny." }]);
  closing.push(() => mock.close());
  return mock;
}

/** aimock's journal hides credentials. */
function recordHeaders(): { fetch: typeof fetch; headers: Headers[] } {
  const headers: Headers[] = [];
  const recording: typeof fetch = (input, init) => {
    headers.push(new Headers(init?.headers));
    return fetch(input, init);
  };
  return { fetch: recording, headers };
}

const keyless = (kind: "bedrock", baseUrl: string) => {
  const { apiKey: _unused, ...rest } = testProvider({ name: "p", kind, baseUrl, region: "eu-central-1" });
  return rest;
};

const afterCall = ({ text, toolCalls, opaque }: TurnResult): ModelMessage[] => [
  userMessage("Bern"),
  { role: "assistant", text, toolCalls, ...defined({ opaque }) },
  {
    role: "tool",
    results: toolCalls.map(({ id, name }) => ({ callId: id, name, text: "sun", images: [], isError: false })),
  },
];

describe("CFG-2 the providers that few need", () => {
  test.each([
    ["google", "gemini-3-pro-preview", "/v1beta", "x-goog-api-key", testKey],
    ["bedrock", "eu.anthropic.claude-opus-4-6-v1:0", "", "authorization", `Bearer ${testKey}`],
  ] as const)("%s: a tool loop ends with the answer, and the key is ours", async (kind, name, path, header, value) => {
    const mock = await startAimock();
    const provider = testProvider({ name: "p", kind, baseUrl: `${mock.url}${path}`, region: "eu-central-1" });
    const sent = recordHeaders();
    const models = modelsOf(provider, [testModel("p", name)], { fetch: sent.fetch });
    const request = { tools: [weatherTool], messages: [userMessage("Bern")] };
    const turn = await models.turn(turnRequest({ ...request, settings: { ...settings, effort: "high" } }));
    expect(turn).toMatchObject({ stopReason: "tool-calls", toolCalls: [{ name: weatherTool.name }], model: name });
    expect(turn.toolCalls[0]?.arguments).toEqual({ place: "Bern" });
    const last = await models.turn(turnRequest({ ...request, messages: afterCall(turn) }));
    expect(last).toMatchObject({ text: "Sunny.", stopReason: "end", toolCalls: [] });
    expect(sent.headers.map((each) => each.get(header))).toEqual([value, value]);
  });

  test.each([
    ["google", "/v1beta"],
    ["bedrock", ""],
  ] as const)("AGT-7 %s: an error of the provider has its kind", async (kind, path) => {
    const mock = await startAimock();
    const provider = testProvider({ name: "p", kind, baseUrl: `${mock.url}${path}`, region: "eu-central-1" });
    const clock = new ManualClock();
    const models = modelsOf(provider, [testModel("p", "gemini-3-pro-preview")], { clock });
    const deadlineMs = clock.now() + 500; // too short for a second try
    await expect(models.turn(turnRequest({ messages: [userMessage("fail")], deadlineMs }))).rejects.toMatchObject({
      kind: "overloaded",
      status: 503,
    });
  });

  test("bedrock: without a key the environment's access keys sign the request for the region", async () => {
    const mock = await startAimock();
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIATEST");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret-access-key");
    const { fetch, headers } = recordHeaders();
    const models = modelsOf(keyless("bedrock", mock.url), [testModel("p", "amazon.nova-pro-v1:0")], { fetch });
    await models.turn(turnRequest({ messages: [userMessage("Bern")], tools: [weatherTool] }));
    const [signed] = headers.map((each) => each.get("authorization"));
    expect(signed).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-central-1\/bedrock\//);
    expect(signed).not.toContain("secret-access-key");
  });

  test("bedrock: without any key the error says what to set, and nothing is sent", async () => {
    const mock = await startAimock();
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK"]) {
      vi.stubEnv(name, undefined);
    }
    const models = modelsOf(keyless("bedrock", mock.url), [testModel("p", "amazon.nova-pro-v1:0")]);
    await expect(models.turn(turnRequest())).rejects.toMatchObject({
      kind: "auth",
      message:
        'p: no key, or no region; set apiKey and region of provider "p", ' +
        "or in local mode AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    });
    expect(mock.getRequests()).toHaveLength(0);
  });

  test("huggingface: calls and results of tools both arrive, over its compatible API", async () => {
    const mock = await startOwn();
    const provider = testProvider({ name: "p", kind: "huggingface", baseUrl: mock.openaiUrl });
    const models = modelsOf(provider, [testModel("p", "openai/gpt-oss-120b:groq")]);
    const turn = await models.turn(turnRequest({ tools: [weatherTool], settings: { ...settings, topK: 5 } }));
    const last = await models.turn(turnRequest({ tools: [weatherTool], messages: afterCall(turn) }));
    expect(last.text).toBe("Sunny.");
    expect(mock.requests[0]).toMatchObject({ path: "/v1/chat/completions", body: { top_k: 5, max_tokens: 4_000 } });
    expect(mock.requests[1]?.headers["authorization"]).toBe(`Bearer ${testKey}`);
    expect(mock.requests[1]?.body).toMatchObject({
      messages: [{ role: "system" }, { role: "user" }, { tool_calls: [{ id: "call_1" }] }, { content: "sun" }],
    });
  });
});

describe("HLT-4 preflight of the providers that few need", () => {
  const preflight = async (
    kind: "google" | "huggingface" | "bedrock",
    name: string,
    listed: string[],
    status = 200,
  ) => {
    const mock = await startModelMock([], {
      models: Object.fromEntries(listed.map((id) => [id, {}])),
      ...(status === 200 ? {} : { lists: { status } }),
    });
    closing.push(() => mock.close());
    const models = modelsOf(testProvider({ name: "p", kind, baseUrl: mock.openaiUrl }), [testModel("p", name)]);
    const { p } = await models.preflight(new AbortController().signal);
    return { ...present(p), asked: mock.listRequests.map(({ path }) => path) };
  };

  test("google is asked for the model by its name", async () => {
    expect(await preflight("google", "g", ["g"])).toMatchObject({ ok: true, asked: ["/v1/models/g"] });
    expect(await preflight("google", "g", ["h"])).toMatchObject({
      ok: false,
      detail: expect.stringContaining("model 'g' not found; check"),
    });
    const refused = await preflight("google", "g", ["g"], 400);
    expect(refused.detail).toBe('the key was refused (400); check Secret "llm-keys" key "main"');
  });

  test("huggingface lists models without the route behind the colon", async () => {
    expect(await preflight("huggingface", "a/b:groq", ["a/b"])).toMatchObject({ ok: true, asked: ["/v1/models"] });
    expect(await preflight("huggingface", "a/c", ["a/b"])).toMatchObject({ ok: false });
  });

  test("bedrock is asked nothing", async () => {
    expect(await preflight("bedrock", "m", [])).toMatchObject({ ok: true, asked: [] });
  });
});
