import { describe, expect, test } from "vitest";
import { resolveModelName } from "./model-name.ts";

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
  ])("%s", (name, ref, request) => {
    const found = resolveModelName(name, references);
    expect(typeof found === "string" ? found : [found.ref, Object.fromEntries(found.request)]).toEqual([ref, request]);
  });
});

test.each([
  "sonnet",
  "haiku",
  "opus",
  "claude",
  "gemini",
  "codex",
  "kimi",
  "gpt-oss",
  "$system.gone",
  "$system.loop",
  "",
])("CLI-3 %j, which may mean several models or none, is not resolved", (name) => {
  expect(resolveModelName(name, references)).toBeTypeOf("string");
});
