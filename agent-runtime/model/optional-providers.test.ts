// Packages that are only there where they are used; here they are played by one that is installed.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterEach, expect, test } from "vitest";
import { modelsOf, testKey, testModel, testProvider, turnRequest } from "./testing/fixtures.ts";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";

let server: ModelMock;
afterEach(() => server.close());

test.each([
  ["google", "createGoogleGenerativeAI", "@ai-sdk/google", "x-goog-api-key", testKey],
  ["bedrock", "createAmazonBedrock", "@ai-sdk/amazon-bedrock", "authorization", `Bearer ${testKey}`],
  ["huggingface", "createHuggingFace", "@ai-sdk/huggingface", "authorization", `Bearer ${testKey}`],
] as const)(
  "CFG-2 %s is loaded from its package and called with its key",
  async (kind, factory, packageName, header, value) => {
    server = await startModelMock([{ text: "hi" }]);
    const loaded: string[] = [];
    const loadPackage = async (name: string) => {
      loaded.push(name);
      return {
        [factory]: (settings: { baseURL: string; fetch: typeof fetch }) =>
          createOpenAICompatible({ name: "x", ...settings }),
      };
    };
    const provider = testProvider({ name: "p", kind, baseUrl: server.openaiUrl });
    const models = modelsOf(provider, [testModel("p", "m")], { loadPackage });
    await expect(models.turn(turnRequest())).resolves.toMatchObject({ text: "hi" });
    expect(loaded).toEqual([packageName]);
    expect(server.requests[0]?.headers[header]).toBe(value);
  },
);

test("CFG-2 a package without the expected factory says to install another version", async () => {
  server = await startModelMock();
  const models = modelsOf(testProvider({ name: "p", kind: "google" }), [testModel("p", "m")], {
    loadPackage: async () => ({}),
  });
  await expect(models.turn(turnRequest())).rejects.toThrow(
    "has no createGoogleGenerativeAI; install a version that has it",
  );
});
