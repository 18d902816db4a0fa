// What Claude models refuse of sampling, thinking and effort. Through Bedrock they refuse the same.
import { at, listOf, numberOf, textOf, type Json } from "./json.ts";
import type { Fault, Rule } from "./rule.ts";

/** Opus from 4.7; Sonnet, Haiku, Fable, Mythos from 5. */
const withoutSamplers = /claude-(opus-4-([7-9]|\d\d)(?!\d)|[a-z]+-([5-9]|[1-9]\d)(?!\d))/;
/** 4.1 to 4.6. */
const oneSampler = /claude-[a-z]+-4-[1-6](?!\d)/;
/** Opus from 4.5, Sonnet from 4.6, all of 5. */
const withEffort = /claude-(opus-4-([5-9]|\d\d)(?!\d)|sonnet-4-([6-9]|\d\d)(?!\d)|[a-z]+-([5-9]|[1-9]\d)(?!\d))/;
const withoutForcedTools = /claude-(fable|mythos)-5/;

/** Samplers as their wire names them; undefined = not given. */
export interface Samplers {
  temperature: number | undefined;
  topP: number | undefined;
  topK: number | undefined;
}

export function findSamplerFault(
  model: string,
  { temperature, topP, topK }: Samplers,
  thinks: boolean,
): Fault | undefined {
  const deprecated = (name: string) => ({ message: `\`${name}\` is deprecated for this model.` });
  if (withoutSamplers.test(model)) {
    if (temperature !== undefined && temperature !== 1) return deprecated("temperature");
    if (topP !== undefined && topP < 0.99) return deprecated("top_p");
    return topK === undefined ? undefined : deprecated("top_k");
  }
  if (oneSampler.test(model) && temperature !== undefined && topP !== undefined) {
    return {
      message: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    };
  }
  if (thinks && temperature !== undefined && temperature !== 1) {
    return { message: "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode." };
  }
  return undefined;
}

const thinkingOf = (body: Json) => textOf(at(body["thinking"], "type"));

export const anthropicModels: readonly Rule[] = [
  {
    name: "samplers",
    source: "inspect_ai#3721, skydiscover#15, modelparams.dev#214; ranges in anthropic's SDK",
    find: ({ body, model }) => {
      const [temperature, topP, topK] = [body["temperature"], body["top_p"], body["top_k"]].map(numberOf);
      const thinks = /^(enabled|adaptive)$/.test(thinkingOf(body));
      return findSamplerFault(model, { temperature, topP, topK }, thinks);
    },
  },
  {
    name: "range of temperature",
    source: "Anthropic's SDK: ranges from 0.0 to 1.0",
    find({ body }) {
      const temperature = numberOf(body["temperature"]) ?? 0;
      if (temperature >= 0 && temperature <= 1) return undefined;
      const rule = temperature > 1 ? "less than or equal to 1" : "greater than or equal to 0";
      return { message: `temperature: Input should be ${rule}` };
    },
  },
  {
    name: "thinking",
    source: "OpenHands/software-agent-sdk#3427; anthropic 2.12.0 (PyPI) ThinkingConfigEnabledParam",
    find({ body, model }) {
      if (thinkingOf(body) !== "enabled") return undefined;
      if (withoutSamplers.test(model)) {
        const cure = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
        return { message: `"thinking.type.enabled" is not supported for this model. ${cure}` };
      }
      const budget = numberOf(at(body["thinking"], "budget_tokens")) ?? 0;
      if (budget < 1024) {
        return { message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024" };
      }
      if (budget < (numberOf(body["max_tokens"]) ?? Infinity)) return undefined;
      return { message: "`max_tokens` must be greater than `thinking.budget_tokens`." };
    },
  },
  {
    name: "effort",
    source: "pydantic-ai profiles/anthropic.py (Opus from 4.5, Sonnet from 4.6); wording from memory",
    find: ({ body, model }) =>
      at(body["output_config"], "effort") !== undefined && /claude/.test(model) && !withEffort.test(model)
        ? { message: "This model does not support the effort parameter." }
        : undefined,
  },
  {
    name: "forced tools",
    source: "pydantic-ai profiles/anthropic.py (Fable 5, Mythos 5); wording from memory",
    find({ body, model }) {
      const type = textOf(at(body["tool_choice"], "type"));
      if (!withoutForcedTools.test(model) || !/^(any|tool)$/.test(type)) return undefined;
      return { message: `tool_choice: "${type}" is not supported for this model.` };
    },
  },
  {
    name: "stop sequences",
    source: "from memory",
    unverified: true,
    find: ({ body }) =>
      listOf(body["stop_sequences"]).some((stop) => textOf(stop).trim() === "")
        ? { message: "stop_sequences: each stop sequence must contain non-whitespace" }
        : undefined,
  },
];
