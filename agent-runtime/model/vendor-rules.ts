// What is known of the server behind a provider before it has refused anything: by its kind, its host and the model's name.
// A table, pure; what a model turns out to refuse is learned in learned.ts.
import type { RunModel, RunProvider } from "../../crds/run-config.ts";

export interface VendorRules {
  /** Tools in one request. */
  maxTools: number;
  /** Characters of a tool's description. */
  maxDescriptionChars: number;
  /** Ids of calls have exactly nine letters and digits. */
  nineCharacterIds: boolean;
  /** A user message may not follow tool results. */
  refusesUserAfterTool: boolean;
  /** Reasoning of earlier answers: as it came, always (with a stand-in where there is none), or never. */
  reasoningContent: "as-it-came" | "keep" | "omit";
  /** `max_completion_tokens` instead of `max_tokens`. */
  namesCompletionTokens: boolean;
  /** Reasoning must be turned off where tools are offered. */
  refusesEffortWithTools: boolean;
  /** The most tokens that an answer may be given; undefined where that is not known. */
  outputMax: number | undefined;
  /** Images in one request. */
  maxImages: number;
  /** A limit must be sent, or one that is too low or too high is taken in its place. */
  wantsOutputLimit: boolean;
}

interface Row {
  kinds: readonly RunProvider["kind"][];
  hosts?: RegExp;
  models?: RegExp;
  rules: Partial<VendorRules>;
}

const chat = ["openai-compatible", "huggingface"] as const;
const openAiHosts =
  /(^|\.)(api\.openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/;
const mistralNames = /(mi[sxn]tral|ministral|magistral|codestral|devstral|pixtral|voxtral)/i;
const maxOpenAiTools = 128;
/** Claude 2, and 3 before there was a 3.5. */
const firstClaudes = /claude-(v?2|instant|3-(opus|sonnet|haiku)|(opus|sonnet|haiku)-3(?![-.]?[57]))/;

/** No limit that is known; a bound all the same. */
const anyServer: VendorRules = {
  maxTools: 2_000,
  maxDescriptionChars: 10_000,
  nineCharacterIds: false,
  refusesUserAfterTool: false,
  reasoningContent: "as-it-came",
  namesCompletionTokens: false,
  refusesEffortWithTools: false,
  outputMax: undefined,
  maxImages: Infinity,
  wantsOutputLimit: false,
};

/** All that fit, later ones over earlier ones. */
const rows: readonly Row[] = [
  // Bedrock counts the limit of a Claude against the tokens of a minute: without one, all that the model could write.
  { kinds: ["anthropic"], rules: { wantsOutputLimit: true } },
  { kinds: ["bedrock"], models: /claude/, rules: { wantsOutputLimit: true } },
  { kinds: ["anthropic", "bedrock"], models: firstClaudes, rules: { outputMax: 4_096 } },
  { kinds: ["anthropic", "bedrock"], models: /claude-3-5/, rules: { outputMax: 8_192 } },
  // Without a limit it writes half of that.
  { kinds: chat, hosts: /(^|\.)deepseek\.com$/, models: /^deepseek-chat$/, rules: { outputMax: 8_192 } },
  { kinds: ["openai"], rules: { maxTools: maxOpenAiTools } },
  { kinds: ["google"], rules: { maxTools: 512 } },
  // Whatever speaks chat may pass a request on to OpenAI.
  { kinds: chat, rules: { maxDescriptionChars: 1_024 } },
  { kinds: chat, hosts: openAiHosts, rules: { maxTools: maxOpenAiTools } },
  { kinds: chat, hosts: /(^|\.)(groq\.com|deepseek\.com)$/, rules: { maxTools: maxOpenAiTools } },
  {
    kinds: chat,
    hosts: openAiHosts,
    models: /^(o\d|gpt-(?!5-chat)([5-9]|[1-9]\d))/,
    rules: { namesCompletionTokens: true },
  },
  {
    kinds: chat,
    hosts: openAiHosts,
    models: /^gpt-(5\.([4-9]|\d\d)|[6-9]|[1-9]\d)/,
    rules: { refusesEffortWithTools: true },
  },
  { kinds: chat, hosts: /(^|\.)groq\.com$/, rules: { maxImages: 5 } },
  {
    kinds: chat,
    hosts: /(^|\.)mistral\.ai$/,
    rules: { nineCharacterIds: true, refusesUserAfterTool: true, maxImages: 8 },
  },
  { kinds: chat, models: mistralNames, rules: { nineCharacterIds: true, refusesUserAfterTool: true } },
  { kinds: chat, models: /deepseek-v4|kimi-(k2\.[5-9]|k[3-9]|.*thinking)/i, rules: { reasoningContent: "keep" } },
  { kinds: chat, models: /deepseek-(reasoner|r1)/i, rules: { reasoningContent: "omit" } },
  { kinds: chat, hosts: /(^|\.)(groq\.com|cerebras\.ai)$/, rules: { reasoningContent: "omit" } },
];

export function observeVendor(
  provider: Pick<RunProvider, "kind" | "baseUrl">,
  { name, capabilities }: RunModel,
): VendorRules {
  const host = hostOf(provider.baseUrl);
  const known = rows.filter(
    ({ kinds, hosts, models }) =>
      kinds.includes(provider.kind) && hosts?.test(host) !== false && models?.test(name) !== false,
  );
  const rules: VendorRules = Object.assign({}, anyServer, ...known.map((row) => row.rules));
  const { reasoningContent = "auto" } = capabilities;
  return reasoningContent === "auto" ? rules : { ...rules, reasoningContent };
}

function hostOf(baseUrl: string | undefined): string {
  return baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
}
