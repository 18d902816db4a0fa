import { describe, expect, it } from "vitest";
import { modelOf, resolveModels, splitModel } from "./models.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const providers = [{ name: "openai" }, { name: "anthropic" }];
const shared = { vision: true, contextWindow: 200_000 };
const instance = sampleInstance({ providers, defaultModel: "openai.small", modelCapabilities: shared });
const defaults = { vision: false, contextWindow: 131_072, maxOutputTokens: 16_384 };
const resolve = (spec: object, of = instance) => resolveModels(sampleAgent("a", spec), of);

describe("CFG-1 a model is provider.model-name", () => {
  it.each([
    ["openai.qwen3-8b", "openai", "qwen3-8b"],
    ["openai.gpt-5.2.1", "openai", "gpt-5.2.1"],
    ["huggingface.org/name:v1.0", "huggingface", "org/name:v1.0"],
    ["passthrough", "passthrough", "passthrough"],
    ["playback.recording.1", "playback", "recording.1"],
  ])("%s is split at the first dot", (ref, provider, name) => {
    expect(splitModel(ref)).toEqual({ provider, name });
  });

  it("the agent's own wins over the instance's", () => {
    expect(modelOf(sampleAgent("a", { model: "anthropic.opus" }), instance)).toBe("anthropic.opus");
    expect(modelOf(sampleAgent("a"), instance)).toBe("openai.small");
    expect(modelOf(sampleAgent("a"), sampleInstance({ defaultModel: null }))).toBeUndefined();
  });
});

describe("CFG-4 CAT-5 capabilities are declared, never guessed", () => {
  it("the instance's are those of its own model, whoever names it", () => {
    for (const spec of [{}, { model: "openai.small" }]) {
      expect(resolve(spec)[0]).toMatchObject({ capabilities: { ...defaults, ...shared }, capabilitiesDeclared: true });
    }
  });

  it("the instance's say nothing about another model", () => {
    const [model] = resolve({ model: "openai.large" });
    expect(model).toMatchObject({ name: "large", capabilities: defaults, capabilitiesDeclared: false });
  });

  it("the agent's are merged over the instance's for the instance's model, and stand alone for another", () => {
    const own = { modelCapabilities: { vision: false, maxOutputTokens: 9 } };
    expect(resolve(own)[0]?.capabilities).toEqual({ vision: false, contextWindow: 200_000, maxOutputTokens: 9 });
    const other = resolve({ ...own, model: "anthropic.opus" })[0];
    expect(other?.capabilities).toEqual({ vision: false, contextWindow: 131_072, maxOutputTokens: 9 });
  });

  it("declared in part, the rest has its default", () => {
    const declared = sampleInstance({ modelCapabilities: { vision: true } });
    expect(resolve({}, declared)[0]).toMatchObject({
      capabilities: { vision: true, contextWindow: 131_072, maxOutputTokens: 16_384 },
      capabilitiesDeclared: true,
    });
    expect(resolve({}, sampleInstance({ modelCapabilities: {} }))[0]?.capabilitiesDeclared).toBe(false);
  });
});

describe("CFG-1 fallback models", () => {
  it("follow in order, each model once", () => {
    const fallbackModels = ["anthropic.opus", "openai.small", "passthrough"];
    expect(resolve({ fallbackModels }).map(({ ref }) => ref)).toEqual([
      "openai.small",
      "anthropic.opus",
      "passthrough",
    ]);
  });

  it("have their own capabilities: the agent's are those of its model only", () => {
    const models = resolve({
      model: "anthropic.opus",
      modelCapabilities: { contextWindow: 5 },
      fallbackModels: ["openai.small", "openai.large"],
    });
    expect(models.map(({ capabilities }) => capabilities.contextWindow)).toEqual([5, 200_000, 131_072]);
  });
});
