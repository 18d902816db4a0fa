// DeepSeek's and Moonshot's chat completions: OpenAI's rules, and reasoning that V4 and Kimi want back and R1 refuses.
import { numberOf } from "./json.ts";
import { overflow } from "./openai-chat.ts";
import * as messages from "./openai-chat-messages.ts";
import { renderOpenAi } from "./openai-faults.ts";
import { openAiToolRules } from "./openai-tools.ts";
import { demandReasoning, refuseReasoning } from "./reasoning-replay.ts";
import type { Rule, Vendor } from "./rule.ts";

/** DeepSeek-V3#69; R1 and V4 from DeepSeek's list of models. */
const outputLimits: readonly (readonly [RegExp, number])[] = [
  [/^deepseek-chat/, 8_192],
  [/^deepseek-reasoner/, 65_536],
  [/^deepseek-v4/, 393_216],
];

const outputLimit: Rule = {
  name: "output limit",
  source: "deepseek-ai/DeepSeek-V3#69",
  find({ body, model, maxOutputTokens }) {
    const limit = maxOutputTokens ?? outputLimits.find(([name]) => name.test(model))?.[1] ?? Infinity;
    const asked = numberOf(body["max_tokens"]) ?? 1;
    if (asked >= 1 && asked <= limit) return undefined;
    return { message: `Invalid max_tokens value, the valid range of max_tokens is [1, ${limit}]` };
  },
};

const unansweredCalls: Rule = {
  ...messages.unansweredCalls,
  find(request) {
    if (messages.unansweredCalls.find(request) === undefined) return undefined;
    const rule =
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
    return { message: `${rule} (insufficient tool messages following tool_calls message)` };
  },
};

const resultsWithoutCalls: Rule = {
  ...messages.resultsWithoutCalls,
  source: "FoundationAgents/OpenManus#23",
  find: (request) =>
    messages.resultsWithoutCalls.find(request) === undefined
      ? undefined
      : { message: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'" },
};

export const deepSeek: Vendor = {
  render: ({ message, status }, request) =>
    renderOpenAi({ message, code: "invalid_request_error", ...(status && { status }) }, request),
  rules: [
    ...openAiToolRules({ inner: ".function", nameLimit: 64 }),
    messages.noMessages,
    resultsWithoutCalls,
    unansweredCalls,
    demandReasoning("oai-compatible-copilot#215, oh-my-pi#787", /v4/, () => ({
      message: "The `reasoning_content` in the thinking mode must be passed back to the API.",
    })),
    refuseReasoning("DeepSeek's guide to R1", /reasoner|r1/, () => ({
      message: "The `reasoning_content` is not supported in the input messages of this model.",
    })),
    outputLimit,
    overflow,
  ],
};

export const kimi: Vendor = {
  render: (fault, request) => renderOpenAi({ message: fault.message, type: "invalid_request_error" }, request),
  rules: [
    messages.noMessages,
    messages.resultsWithoutCalls,
    messages.unansweredCalls,
    demandReasoning("iOfficeAI/AionUi#2746", /kimi.*(thinking|k2\.[5-9]|k[3-9])/, (index) => ({
      message: `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
    })),
    {
      name: "overflow",
      source: "Moonshot's answer; the window is the mock's setting",
      find: (request) => {
        const fault = overflow.find(request);
        return fault === undefined
          ? undefined
          : { message: `Invalid request: Your request exceeded model token limit: ${request.contextWindow}` };
      },
    },
  ],
};
