// Anthropic's messages. As of autumn 2026.
import { anthropicImages } from "./anthropic-images.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { anthropicModels } from "./anthropic-models.ts";
import { anthropicTools } from "./anthropic-tools.ts";
import { numberOf, stringsOf } from "./json.ts";
import type { Rule, Vendor } from "./rule.ts";
import { countInputTokens, findLoneSurrogate } from "./text.ts";

const knownFields = new Set(
  `cache_control container context_management diagnostics inference_geo max_tokens mcp_servers messages metadata model
  output_config service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p
  user_profile_id workspace_id`.split(/\s+/),
);

/** Where the mock is not given a limit. */
const knownOutputLimits: readonly (readonly [RegExp, number])[] = [[/claude-haiku-4-5/, 64_000]];

const loneSurrogate: Rule = {
  name: "lone surrogate",
  source: "anthropics/claude-code#60394",
  find({ text }) {
    const index = findLoneSurrogate(text);
    if (index === undefined) return undefined;
    const half = /^\\u[dD][89abAB]/.test(text.slice(index))
      ? "no low surrogate in string"
      : "invalid high surrogate in string";
    return { message: `The request body is not valid JSON: ${half}: line 1 column ${index + 1} (char ${index})` };
  },
};

const bodyLimitBytes = 32 * 1024 * 1024;

const outputLimit: Rule = {
  name: "output limit",
  source: "Anthropic's answer, quoted widely; a model's limit is the mock's setting",
  find({ body, model, maxOutputTokens }) {
    const asked = numberOf(body["max_tokens"]);
    if (asked === undefined) return { message: "max_tokens: Field required" };
    const limit = maxOutputTokens ?? knownOutputLimits.find(([name]) => name.test(model))?.[1] ?? Infinity;
    if (asked <= limit) return undefined;
    const rule = `which is the maximum allowed number of output tokens for ${model}`;
    return { message: `max_tokens: ${asked} > ${limit}, ${rule}` };
  },
};

const overflow: Rule = {
  name: "overflow",
  source: "Anthropic's answer, quoted widely; up to 4.x max_tokens counts too (continuedev/continue#6080)",
  find({ body, model, contextWindow = Infinity }) {
    const tokens = countInputTokens(body);
    if (tokens > contextWindow) return { message: `prompt is too long: ${tokens} tokens > ${contextWindow} maximum` };
    const output = numberOf(body["max_tokens"]) ?? 0;
    if (!/claude-(3|[a-z]+-4)/.test(model) || tokens + output <= contextWindow) return undefined;
    const sum = `${tokens} + ${output} > ${contextWindow}`;
    const cure = "decrease input length or `max_tokens` and try again";
    return { message: `input length and \`max_tokens\` exceed context limit: ${sum}, ${cure}` };
  },
};

const cacheBreakpoints: Rule = {
  name: "cache breakpoints",
  source: "Anthropic's answer, quoted widely: at most 4",
  find({ body }) {
    const marks = ["system", "tools", "messages"].flatMap((key) =>
      [...stringsOf(body[key])].filter(({ path, text }) => text === "cache_control" && !path.includes("input")),
    );
    if (marks.length <= 4) return undefined;
    return { message: `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.` };
  },
};

export const anthropic: Vendor = {
  render: ({ message, status = 400, type = "invalid_request_error" }) => ({
    status,
    headers: { "x-should-retry": "false" },
    body: { type: "error", error: { type, message }, request_id: "req_1" },
  }),
  rules: [
    loneSurrogate,
    {
      name: "size of the request",
      source: "Anthropic's guide: 32 MB",
      find: ({ text }) =>
        Buffer.byteLength(text) > bodyLimitBytes
          ? { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" }
          : undefined,
    },
    {
      name: "unknown field",
      source: "anthropic 2.12.0 (PyPI) MessageCreateParams; Anthropic's answer, quoted widely",
      find({ body }) {
        const unknown = Object.keys(body).find((key) => !knownFields.has(key));
        return unknown === undefined ? undefined : { message: `${unknown}: Extra inputs are not permitted` };
      },
    },
    ...anthropicTools,
    {
      name: "tools of the history",
      source: "as Bedrock and LiteLLM demand it; from memory",
      unverified: true,
      find: ({ body }) =>
        body["tools"] === undefined &&
        [...stringsOf(body["messages"])].some(({ path, text }) => path.at(-1) === "type" && text === "tool_use")
          ? { message: "Requests which have `tool_use` or `tool_result` blocks in `messages` must define `tools`." }
          : undefined,
    },
    ...anthropicMessages,
    ...anthropicImages,
    cacheBreakpoints,
    outputLimit,
    ...anthropicModels,
    overflow,
  ],
};
