// A conversation with images that one model took, asked of another with narrower limits: nothing is refused, and what is left out
// is said in its place.
import { afterEach, describe, expect, test } from "vitest";
import type { RunProvider } from "../../crds/run-config.ts";
import type { Script } from "../../test/models/conversations.ts";
import { startModelMock, type ModelMock, type ModelMockOptions } from "../../test/models/model-mock.ts";
import { findImageLimits } from "../image-data.ts";
import { testImage } from "../testing/images.ts";
import { fitImages } from "./fit-images.ts";
import { createModels } from "./models.ts";
import { readableLog, testKey, testModel, testProvider, turnRequest, userMessage } from "./testing/fixtures.ts";
import type { ImageData, ModelMessage } from "./types.ts";

const limitsOf = (kind: RunProvider["kind"]) => findImageLimits("p", [testProvider({ name: "p", kind })]);
const shown = (images: readonly ImageData[]): ModelMessage => ({
  role: "user",
  content: images.map((image) => ({ type: "image" as const, ...image })),
});
const returned = (images: ImageData[]): ModelMessage => ({
  role: "tool",
  results: [{ callId: "c", name: "t", text: "see", images, isError: false }],
});
const answered: ModelMessage = { role: "assistant", text: "so", toolCalls: [] };
const small = (count: number) => Array.from({ length: count }, () => testImage("image/png"));
const textsOf = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) => {
    if (message.role === "assistant") return [];
    if (message.role === "tool") return message.results.flatMap(({ text, images }) => [text, images.length]);
    return message.content.map((part) => (part.type === "text" ? part.text : "image"));
  });

describe("AGT-14 AGT-15 images that a provider does not take", () => {
  test.each([
    ["bedrock", { width: 8_000 }, { width: 8_001 }, "8001 pixels"],
    ["bedrock", { bytes: 3_932_160 }, { bytes: 3_932_161 }, "3932161 bytes"],
    ["anthropic", { bytes: 7_864_320 }, { bytes: 7_864_321 }, "as base64"],
  ] as const)("%s: at the limit one stays, past it a text says why", (kind, at, past, said) => {
    const fit = { limits: limitsOf(kind), maxImages: Infinity };
    const messages = [shown([testImage("image/png", at)])];
    expect(fitImages(messages, fit)).toBe(messages);
    const [text] = textsOf(fitImages([shown([testImage("image/png", past)])], fit));
    expect(text).toMatch(/^\[image left out: it has .* and the model's provider, p, takes at most/);
    expect(text).toContain(said);
  });

  test("of a type that it does not take, in tools' results too; a PDF is no image", () => {
    const pdf = { data: "JVBERi0=", mimeType: "application/pdf" };
    const messages = [shown([pdf]), answered, returned([testImage("image/gif"), testImage("image/png")])];
    const [part, text, images] = textsOf(fitImages(messages, { limits: limitsOf("google"), maxImages: 1 }));
    expect([part, images]).toEqual(["image", 1]);
    expect(text).toMatch(/^see\n\[image left out: it is of type image\/gif/);
  });

  test("the newest stay where there are too many", () => {
    const messages = [shown(small(2)), answered, returned(small(2))];
    const why = "[image left out: the model's provider takes at most 3 of them, the newest first]";
    expect(textsOf(fitImages(messages, { limits: undefined, maxImages: 3 }))).toEqual([why, "image", "see", 2]);
    expect(fitImages(messages, { limits: undefined, maxImages: 4 })).toBe(messages);
    expect(textsOf(fitImages(messages, { limits: undefined, maxImages: 0 }))).not.toContain("image");
  });

  test("one that was sent twice stays where it is newer", () => {
    const [image] = small(1);
    const messages = image === undefined ? [] : [shown([image]), answered, shown([image])];
    const [older, newer] = textsOf(fitImages(messages, { limits: undefined, maxImages: 1 }));
    expect(older).toContain("takes at most 1 of them");
    expect(newer).toBe("image");
  });

  test("Bedrock takes twenty between two answers", () => {
    const fit = { limits: limitsOf("bedrock"), maxImages: Infinity };
    const twice = [shown(small(20)), answered, shown(small(20))];
    expect(fitImages(twice, fit)).toBe(twice);
    const [first, ...others] = textsOf(fitImages([shown(small(1)), returned(small(20))], fit));
    expect(first).toContain("takes at most 20 of them");
    expect(others).toEqual(["see", 20]);
  });

  test("beside more than twenty, larger ones are left out", () => {
    const fit = { limits: limitsOf("anthropic"), maxImages: Infinity };
    const large = testImage("image/png", { width: 2_001 });
    const taken = [shown([large, ...small(19)])];
    expect(fitImages(taken, fit)).toBe(taken);
    const [first, ...others] = textsOf(fitImages([shown([large, ...small(20)])], fit));
    expect(first).toContain("sides of 2000 pixels at most");
    expect(new Set(others)).toEqual(new Set(["image"]));
    const atBound = [shown([testImage("image/png", { width: 2_000 }), ...small(20)])];
    expect(fitImages(atBound, fit)).toBe(atBound);
  });
});

const mocks: ModelMock[] = [];
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
});

async function startMock(script: Script, options: ModelMockOptions = {}) {
  const mock = await startModelMock(script, options);
  mocks.push(mock);
  return mock;
}

const many: ModelMessage[] = [
  userMessage("look"),
  shown([
    testImage("image/gif"),
    testImage("image/png", { width: 8_001 }),
    testImage("image/png", { bytes: 4_000_000 }),
  ]),
  answered,
  shown([testImage("image/png", { width: 3_000 }), ...small(24)]),
];

describe("AGT-14 AGT-15 a fallback with narrower limits than the model before it", () => {
  test.each([
    ["anthropic", "anthropic", "claude-opus-4-6", "https://models.example"],
    ["bedrock", "bedrock", "anthropic.claude-opus-4-6-v1:0", "https://models.example"],
    ["google", "google", "gemini-3-pro-preview", "https://models.example/v1beta"],
    ["groq", "openai-compatible", "qwen3", "https://api.groq.com/openai/v1"],
  ] as const)("%s answers, and refuses nothing", async (vendor, kind, model, baseUrl) => {
    const unverified = vendor === "google";
    const fallback = await startMock([{ text: "seen" }], { vendor: { name: vendor, unverified } });
    const first = await startMock([{ error: "quota" }], { vendor: "lenient" });
    const providers = [
      testProvider({ name: "first", kind: "openai", baseUrl: first.openaiUrl }),
      testProvider({ name: "second", kind, baseUrl, region: "eu-central-1" }),
    ];
    const models = createModels({
      config: { models: [testModel("first", "gpt-5.5"), testModel("second", model)], providers },
      readSecret: async () => testKey,
      log: readableLog().log,
      fetch: (input, init) => {
        const url = input instanceof Request ? input.url : input.toString();
        if (!url.startsWith("https:")) return fetch(input, init);
        const place = url.replace("https://api.groq.com/openai", fallback.origin);
        return fetch(place.replace("https://models.example", fallback.origin), init);
      },
    });
    await expect(models.turn(turnRequest({ messages: many }))).resolves.toMatchObject({ text: "seen" });
    expect(fallback.refused.map(({ refusal }) => refusal)).toEqual([]);
    expect(JSON.stringify(fallback.requests[0]?.body)).toContain("[image left out: ");
  });

  test("a server that takes fewer is told by its refusal, once", async () => {
    const script: Script = ({ body }) =>
      JSON.stringify(body).split("data:image/png").length - 1 > 2
        ? { status: 400, body: { error: { message: "At most 2 image(s) may be provided in one prompt." } } }
        : { text: "seen" };
    const mock = await startMock(script, { vendor: "lenient" });
    const provider = testProvider({ name: "p", kind: "openai-compatible", baseUrl: mock.openaiUrl });
    const config = { models: [testModel("p", "m")], providers: [provider] };
    const models = createModels({ config, readSecret: async () => testKey, log: readableLog().log });
    const messages = [shown(small(3))];
    await expect(models.turn(turnRequest({ messages }))).resolves.toMatchObject({ text: "seen" });
    await models.turn(turnRequest({ messages }));
    expect(mock.requests).toHaveLength(3);
  });
});
