// Short names of models as fast-agent resolves them, and only those: data, with its source. To renew it, compare it with
// BUILTIN_MODEL_ALIASES in src/fast_agent/llm/model_aliases.py of https://github.com/evalstate/fast-agent. Left out are
// settings behind `?`, which fast-agent chooses for the terminal, and names of vendors that Pallas has no provider for.

/** The release that the table was read from. */
export const aliasesOf = "fast-agent 0.10.9";

const families: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anthropic: {
    "claude-sonnet-5": "sonnet sonnet5 claude",
    "claude-sonnet-4-6": "sonnet4 sonnet46",
    "claude-haiku-4-5": "haiku haiku45",
    "claude-opus-5": "opus opus5",
    "claude-opus-4-8": "opus4 opus48",
    "claude-opus-4-7": "opus47",
    "claude-opus-4-6": "opus46",
    "claude-fable-5": "fable fable5",
  },
  // Its provider `responses` is OpenAI by another protocol, which Pallas chooses by itself.
  openai: {
    "chat-latest": "chatgpt chat-latest",
    "gpt-5.1": "gpt51",
    "gpt-5.2": "gpt52",
    "gpt-5.3-codex": "codex",
    "gpt-5.4": "gpt54",
    "gpt-5.4-mini": "gpt54-mini",
    "gpt-5.4-nano": "gpt54-nano",
    "gpt-5.5": "gpt55",
    "gpt-5.6": "gpt56",
    "gpt-5.6-sol": "gpt56-sol",
    "gpt-5.6-terra": "gpt56-terra",
    "gpt-5.6-luna": "gpt56-luna",
  },
  google: {
    "gemini-2.0-flash": "gemini2",
    "gemini-2.5-flash": "gemini25",
    "gemini-2.5-pro": "gemini25pro",
    "gemini-3-pro-preview": "gemini3",
    "gemini-3-flash-preview": "gemini3flash",
    "gemini-3.1-pro-preview": "gemini gemini3.1 gemini31pro",
    "gemini-3.1-flash-lite-preview": "gemini3.1flashlite",
    "gemini-3.5-flash": "gemini35 gemini35flash gemini3.5flash",
  },
  deepseek: { "deepseek-v4-flash": "deepseek", "deepseek-v4-pro": "deepseekpro" },
  xai: { "grok-4.3": "grok43", "grok-4.5": "grok45", "grok-4.6": "grok grok4 grok46" },
  moonshot: { "kimi-k3": "kimik3" },
  zai: { "glm-5.2": "zaiglm" },
  codexresponses: {
    "gpt-5.6-sol": "sol codexplan",
    "gpt-5.6-terra": "terra",
    "gpt-5.6-luna": "luna",
    "gpt-5.5": "codexplan55",
    "gpt-5.4": "codexplan54",
  },
  hf: {
    "moonshotai/Kimi-K2.7-Code:fireworks-ai": "kimi kimi27code",
    "moonshotai/Kimi-K2.6:novita": "kimi26 kimi-2.6 kimithink",
    "moonshotai/Kimi-K2.5:novita": "kimi25 kimi-2.5",
    "openai/gpt-oss-120b:cerebras": "gpt-oss",
    "openai/gpt-oss-20b": "gpt-oss-20b",
    "zai-org/GLM-4.7:cerebras": "glm47",
    "zai-org/GLM-5:novita": "glm5",
    "zai-org/GLM-5.1:together": "glm51",
    "zai-org/GLM-5.2:zai-org": "glm glm52",
    "MiniMaxAI/MiniMax-M3:together": "minimax minimax3",
    "deepseek-ai/DeepSeek-V4-Pro:together": "deepseek-hf",
  },
};

/** Short name → provider.model-name. */
export const modelAliases: ReadonlyMap<string, string> = new Map(
  Object.entries(families).flatMap(([provider, models]) =>
    Object.entries(models).flatMap(([model, names]) =>
      names.split(" ").map((name): [string, string] => [name, `${provider}.${model}`]),
    ),
  ),
);
