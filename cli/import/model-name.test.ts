import { describe, expect, test } from "vitest";
import { modelAliases } from "./model-aliases.ts";
import { resolveModelName } from "./model-name.ts";
import { isVendor } from "./vendors.ts";

const references = new Map([
  ["system.fast", "openai.gpt-5-mini"],
  ["system.alias", "$system.fast"],
  ["system.loop", "$system.loop"],
]);

describe("CLI-3 a model's name is resolved when it means one model", () => {
  test.each([
    ["openai.my-model-name", "openai.my-model-name", {}],
    ["anthropic.claude-opus-4-7", "anthropic.claude-opus-4-7", {}],
    ["hf.moonshotai/Kimi-K2:groq", "hf.moonshotai/Kimi-K2:groq", {}],
    ["openrouter/meta/llama", "openrouter.meta/llama", {}],
    ["generic.llama3.2:latest", "generic.llama3.2:latest", {}],
    ["passthrough", "passthrough", {}],
    ["gpt-4o", "openai.gpt-4o", {}],
    ["gpt-5.1", "openai.gpt-5.1", {}],
    ["o3-mini.high", "openai.o3-mini", { reasoning: "high" }],
    [
      "claude-sonnet-4-6?reasoning=low&temperature=0.2",
      "anthropic.claude-sonnet-4-6",
      { reasoning: "low", temperature: "0.2" },
    ],
    ["gemini-2.5-flash", "google.gemini-2.5-flash", {}],
    ["opus46", "anthropic.claude-opus-4-6", {}],
    ["gpt54", "openai.gpt-5.4", {}],
    ["$system.alias", "openai.gpt-5-mini", {}],
    ["sonnet", "anthropic.claude-sonnet-5", {}],
    ["haiku?temperature=0.2", "anthropic.claude-haiku-4-5", { temperature: "0.2" }],
    ["opus.high", "anthropic.claude-opus-5", { reasoning: "high" }],
    ["kimi", "hf.moonshotai/Kimi-K2.7-Code:fireworks-ai", {}],
    ["gpt-oss", "hf.openai/gpt-oss-120b:cerebras", {}],
    ["codexplan", "codexresponses.gpt-5.6-sol", {}],
  ])("%s", (name, ref, request) => {
    const found = resolveModelName(name, references);
    expect(typeof found === "string" ? found : [found.ref, Object.fromEntries(found.request)]).toEqual([ref, request]);
  });
});

test.each(["son", "constructor", "__proto__", "$system.gone", "$system.loop", ""])(
  "CLI-3 %j, which means no model that is known, is not resolved",
  (name) => {
    expect(resolveModelName(name, references)).toBeTypeOf("string");
  },
);

test("CLI-3 every short name of the table is one model of a vendor that is known", () => {
  for (const [name, ref] of modelAliases) {
    expect([name, resolveModelName(name, new Map())]).toMatchObject([name, { ref, alias: name }]);
    expect([name, isVendor(ref.slice(0, ref.indexOf(".")))]).toEqual([name, true]);
  }
  expect(modelAliases.size).toBeGreaterThan(60);
});
