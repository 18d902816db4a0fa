// Cerebras' chat completions: errors without a frame around them, and an overflow without a body.
import * as messages from "./openai-chat-messages.ts";
import { openAiToolRules } from "./openai-tools.ts";
import { refuseReasoning } from "./reasoning-replay.ts";
import type { Vendor } from "./rule.ts";
import { countInputTokens } from "./text.ts";

export const cerebras: Vendor = {
  render: ({ message, status = 400, code = "wrong_api_format", param = "validation_error" }) => ({
    status,
    body: status === 413 ? "" : { message, type: "invalid_request_error", param, code },
  }),
  rules: [
    ...openAiToolRules({ inner: ".function", nameLimit: 64 }),
    messages.noMessages,
    messages.unansweredCalls,
    messages.resultsWithoutCalls,
    refuseReasoning("anomalyco/opencode#33413, CherryHQ/cherry-studio#16790", /(?:)/, (index) => {
      const path = `messages.${index}.assistant.reasoning_content`;
      return { message: `${path}: property '${path}' is unsupported` };
    }),
    {
      name: "overflow",
      source: "earendil-works/pi utils/overflow.ts: 400 or 413 without a body; the window is the mock's setting",
      find: ({ body, contextWindow = Infinity }) =>
        countInputTokens(body) > contextWindow ? { status: 413, message: "no body" } : undefined,
    },
  ],
};
