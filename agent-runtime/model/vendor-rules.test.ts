// What is known of a server by its kind, its host and the model's name.
import { describe, expect, test } from "vitest";
import { testModel } from "./testing/fixtures.ts";
import { observeVendor } from "./vendor-rules.ts";

const chat = (baseUrl: string, name: string, reasoningContent?: "auto" | "keep" | "omit") => {
  const { capabilities } = testModel("p", name);
  const declared = reasoningContent === undefined ? capabilities : { ...capabilities, reasoningContent };
  return observeVendor({ kind: "openai-compatible", baseUrl }, testModel("p", name, { capabilities: declared }));
};

describe("AGT-15 what is known of a server before it refuses", () => {
  test.each([
    ["https://api.deepseek.com/v1", "deepseek-v4", "keep"],
    ["https://api.moonshot.ai/v1", "kimi-k2-thinking", "keep"],
    ["https://api.deepseek.com/v1", "deepseek-reasoner", "omit"],
    ["https://api.groq.com/openai/v1", "openai/gpt-oss-120b", "omit"],
    ["https://api.cerebras.ai/v1", "qwen-3", "omit"],
    ["http://vllm.models.svc:8000/v1", "qwen3", "as-it-came"],
  ])("reasoning at %s for %s: %s; a setting wins", (baseUrl, name, expected) => {
    expect(chat(baseUrl, name).reasoningContent).toBe(expected);
    expect(chat(baseUrl, name, "auto").reasoningContent).toBe(expected);
    expect(chat(baseUrl, name, "keep").reasoningContent).toBe("keep");
    expect(chat(baseUrl, name, "omit").reasoningContent).toBe("omit");
  });

  test("OpenAI's chat endpoint, by its host only: the same name elsewhere may be anything", () => {
    const known = { namesCompletionTokens: true, refusesEffortWithTools: true, maxTools: 128 };
    for (const host of ["https://api.openai.com/v1", "https://x.openai.azure.com/openai/v1"]) {
      expect(chat(host, "gpt-5.5")).toMatchObject(known);
      expect(chat(host, "gpt-5.2")).toMatchObject({ namesCompletionTokens: true, refusesEffortWithTools: false });
      expect(chat(host, "gpt-4.1")).toMatchObject({ namesCompletionTokens: false, refusesEffortWithTools: false });
    }
    expect(chat("https://openai.com.example.org/v1", "gpt-5.5").namesCompletionTokens).toBe(false);
    expect(chat("http://proxy:4000", "gpt-5.5")).toMatchObject({ namesCompletionTokens: false, maxTools: 2_000 });
  });

  test.each([
    ["anthropic", "claude-3-haiku-20240307", 4_096, true],
    ["bedrock", "eu.anthropic.claude-3-sonnet-20240229-v1:0", 4_096, true],
    ["anthropic", "claude-3-5-haiku-latest", 8_192, true],
    ["anthropic", "claude-3-7-sonnet-latest", undefined, true],
    ["bedrock", "anthropic.claude-opus-4-6-v1:0", undefined, true],
    ["bedrock", "amazon.titan-text-express-v1", undefined, false],
    ["openai", "gpt-5.5", undefined, false],
    ["huggingface", "x/y", undefined, false],
  ] as const)("the limit of an answer of %s %s: %s, wanted: %s", (kind, name, outputMax, wantsOutputLimit) => {
    expect(observeVendor({ kind }, testModel("p", name))).toMatchObject({ outputMax, wantsOutputLimit });
  });

  test("DeepSeek's chat writes 8,192 tokens at its own host; elsewhere the name says nothing", () => {
    expect(chat("https://api.deepseek.com/v1", "deepseek-chat").outputMax).toBe(8_192);
    expect(chat("https://api.deepseek.com/v1", "deepseek-v4").outputMax).toBeUndefined();
    expect(chat("http://proxy:4000", "deepseek-chat").outputMax).toBeUndefined();
  });

  test("Mistral by host or name", () => {
    const known = { nineCharacterIds: true, refusesUserAfterTool: true };
    expect(chat("https://api.mistral.ai/v1", "x")).toMatchObject(known);
    expect(chat("http://vllm:8000/v1", "mistralai/Devstral-Small")).toMatchObject(known);
    expect(chat("http://vllm:8000/v1", "qwen3").nineCharacterIds).toBe(false);
  });

  test.each([
    ["openai", 128, 10_000],
    ["google", 512, 10_000],
    ["anthropic", 2_000, 10_000],
    ["huggingface", 2_000, 1_024],
  ] as const)("%s takes %i tools, and descriptions of %i characters", (kind, maxTools, maxDescriptionChars) => {
    expect(observeVendor({ kind }, testModel("p", "m"))).toMatchObject({ maxTools, maxDescriptionChars });
  });
});
