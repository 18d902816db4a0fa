// Which request parameters a model is sent, and in what form (CFG-3): a pure table of what each kind of provider and
// model refuses. What a model refuses only at run time is learned from its error and comes in as `refused`.
import { defaultCapabilities } from "../../crds/catalogue.ts";
import type { RequestSettings, RunModel, RunProvider } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import type { VendorRules } from "./vendor-rules.ts";

export const parameters = [
  "temperature",
  "topP",
  "topK",
  "stop",
  "effort",
  "maxTokens",
  "outputLimit",
  "cacheControl",
  "streamOptions",
] as const;
/** Parameters that can be left out; `maxTokens` is then sent under its other name, `outputLimit` under none. */
export type Parameter = (typeof parameters)[number];

export interface Sampling {
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stopSequences?: string[];
  /** Effort, where the client library turns it into levels or budgets of thinking. */
  reasoning?: Effort;
  /** Keyed by the client library's name of the provider. */
  providerOptions: Record<string, JsonObject>;
  /** What was asked for and is not sent as asked, with the reason; to be logged once. */
  notes: { param: Parameter; reason: string }[];
}

type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
interface JsonObject {
  [key: string]: JsonValue;
}

interface Rule {
  kinds: readonly RunProvider["kind"][];
  models: RegExp;
  refuses: readonly Parameter[];
  reason: string;
}

const anyModel = /(?:)/;

const rules: readonly Rule[] = [
  {
    kinds: ["anthropic", "bedrock"],
    models: /claude-(opus-4-([7-9]|\d\d)|[a-z]+-([5-9]|[1-9]\d))(?!\d)/,
    refuses: ["temperature", "topP", "topK"],
    reason: "Claude Opus 4.7 and later models take effort instead of sampling parameters",
  },
  {
    kinds: ["anthropic"],
    models: /claude-(v?2|instant|3-(?!7)|(opus|sonnet|haiku)-3)/,
    refuses: ["effort"],
    reason: "this model does not think",
  },
  {
    kinds: ["openai"],
    models: anyModel,
    refuses: ["topK", "stop"],
    reason: "OpenAI's Responses API does not have it",
  },
  {
    kinds: ["openai"],
    models: /^(o\d|gpt-(?!5-chat)([5-9]|[1-9]\d))/,
    refuses: ["temperature", "topP"],
    reason: "reasoning models of OpenAI refuse it",
  },
  {
    kinds: ["openai"],
    models: /^(ft:)?(gpt-[34]|chatgpt|gpt-5-chat)/,
    refuses: ["effort"],
    reason: "this model does not reason",
  },
];

type Effort = NonNullable<RequestSettings["effort"]>;
const ladder: readonly Effort[] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** Claude before there was effort: tokens of thinking instead. */
const thinksByBudget = /claude-(3-7|(opus|sonnet)-4(-[01])?(-\d{8})?$|(haiku|sonnet)-4-5)/;

/**
 * The first row that fits says which efforts a model knows; the nearest lower one is sent, else the lowest. Without a
 * row the client library knows, and says what it changed.
 */
const knownEfforts: readonly { kind: RunProvider["kind"]; models: RegExp; efforts: readonly Effort[] }[] = [
  { kind: "anthropic", models: thinksByBudget, efforts: ladder },
  { kind: "anthropic", models: /claude-opus-4-5/, efforts: ["low", "medium", "high"] },
  { kind: "anthropic", models: /claude-(opus|sonnet)-4-6/, efforts: ["low", "medium", "high", "max"] },
  { kind: "anthropic", models: anyModel, efforts: ["low", "medium", "high", "xhigh", "max"] },
  { kind: "openai", models: /^gpt-5(?![.\d])/, efforts: ["minimal", "low", "medium", "high"] },
  { kind: "openai", models: /^(o\d|gpt-5\.1)/, efforts: ["low", "medium", "high"] },
  { kind: "openai", models: /^gpt-5\.[2-5]/, efforts: ["low", "medium", "high", "xhigh"] },
  { kind: "openai", models: anyModel, efforts: ["low", "medium", "high", "xhigh", "max"] },
  { kind: "openai-compatible", models: anyModel, efforts: ["low", "medium", "high"] },
  { kind: "huggingface", models: anyModel, efforts: ["low", "medium", "high"] },
];

/** The API wants 1,024 at least; above the last, answers come too slowly to be waited for. */
const thinkingTokens: Record<Effort, number> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};

export interface SamplingInput {
  kind: RunProvider["kind"];
  model: RunModel;
  settings: RequestSettings;
  /** What the model has refused before. */
  refused: ReadonlySet<Parameter>;
  /** Undefined: no limit is sent. */
  outputTokens: number | undefined;
  rules: Pick<VendorRules, "namesCompletionTokens" | "refusesEffortWithTools">;
  hasTools: boolean;
}

/** What is sent to this model for these settings. */
export function renderSampling(input: SamplingInput): Sampling {
  const { kind, model, settings, refused, outputTokens, rules: known } = input;
  const notes: Sampling["notes"] = [];
  const take = <T>(param: Parameter, value: T | undefined): T | undefined => {
    if (value === undefined || refused.has(param)) return undefined;
    const rule = rules.find(
      (row) => row.kinds.includes(kind) && row.models.test(model.name) && row.refuses.includes(param),
    );
    if (rule === undefined) return value;
    notes.push({ param, reason: rule.reason });
    return undefined;
  };

  const temperature = take("temperature", settings.temperature);
  let topP = take("topP", settings.topP);
  const isClaude = kind === "anthropic" || (kind === "bedrock" && model.name.includes("claude"));
  if (isClaude && temperature !== undefined && topP !== undefined) {
    notes.push({ param: "topP", reason: "Claude takes temperature or topP, not both" });
    topP = undefined;
  }
  const topK = take("topK", settings.topK);
  const stop = take("stop", settings.stop.length === 0 ? undefined : [...settings.stop]);
  const wanted = take("effort", settings.effort);
  const noEffort = speaksChat(kind) && known.refusesEffortWithTools && input.hasTools;
  const effort = wanted === undefined || noEffort ? undefined : nearestEffort(kind, model.name, wanted);
  if (noEffort && wanted !== undefined) {
    notes.push({ param: "effort", reason: "no tools with effort in this API; a provider of kind openai has both" });
  } else if (effort !== wanted) {
    notes.push({ param: "effort", reason: `${wanted} is sent as ${effort}` });
  }
  const otherName = speaksChat(kind) && (known.namesCompletionTokens || refused.has("maxTokens"));

  const sampling: Sampling = {
    providerOptions: renderProviderOptions(kind, settings.extra, {
      ...{ effort, topK, noEffort },
      budget: thinksByBudget.test(model.name) ? effort && thinkingTokens[effort] : undefined,
      completionTokens: otherName ? outputTokens : undefined,
    }),
    notes,
  };
  if (outputTokens !== undefined && !otherName) sampling.maxOutputTokens = outputTokens;
  if (temperature !== undefined) sampling.temperature = temperature;
  if (topP !== undefined) sampling.topP = topP;
  if (topK !== undefined && !speaksChat(kind)) sampling.topK = topK;
  if (stop !== undefined) sampling.stopSequences = stop;
  if (effort !== undefined && (kind === "google" || kind === "bedrock")) sampling.reasoning = effort;
  return sampling;
}

/** Chat completions, where whatever the client library does not know travels in the body. */
const speaksChat = (kind: RunProvider["kind"]) => kind === "openai-compatible" || kind === "huggingface";

/**
 * What was asked for, and no more than the model is said to write: by its declaration, its provider's list, or what its vendor
 * publishes. Where nobody has said anything none is sent, and the server gives what it has; undefined says so.
 */
export function outputLimit(
  { capabilities: { maxOutputTokens } }: RunModel,
  { maxTokens }: RequestSettings,
  { outputMax, wantsOutputLimit }: Pick<VendorRules, "outputMax" | "wantsOutputLimit">,
): number | undefined {
  // The configuration's default is nobody's word.
  const most = maxOutputTokens === defaultCapabilities.maxOutputTokens ? outputMax : maxOutputTokens;
  if (maxTokens !== undefined) return Math.min(maxTokens, most ?? Infinity);
  return most ?? (wantsOutputLimit ? defaultCapabilities.maxOutputTokens : undefined);
}

function nearestEffort(kind: RunProvider["kind"], name: string, wanted: Effort): Effort {
  const known = knownEfforts.find((row) => row.kind === kind && row.models.test(name))?.efforts ?? ladder;
  const lower = known.filter((effort) => ladder.indexOf(effort) <= ladder.indexOf(wanted));
  return lower.at(-1) ?? known[0] ?? wanted;
}

function renderProviderOptions(
  kind: RunProvider["kind"],
  extra: RequestSettings["extra"],
  values: {
    effort: Effort | undefined;
    /** Of thinking, in tokens: instead of effort. */
    budget: number | undefined;
    noEffort: boolean;
    topK: number | undefined;
    completionTokens: number | undefined;
  },
): Sampling["providerOptions"] {
  const { effort, budget, noEffort, topK, completionTokens } = values;
  switch (kind) {
    case "anthropic":
      return {
        anthropic: {
          toolStreaming: false,
          ...(effort === undefined || budget !== undefined ? {} : { effort }),
          ...(budget === undefined ? {} : { thinking: { type: "enabled", budgetTokens: budget } }),
        },
      };
    case "openai":
      // Summaries are null because asking for them needs a verified organisation.
      return { openai: { store: false, reasoningSummary: null, ...(effort && { reasoningEffort: effort }) } };
    case "openai-compatible":
    case "huggingface":
      return {
        compatible: {
          ...defined({ top_k: topK, max_completion_tokens: completionTokens, reasoningEffort: effort }),
          ...(noEffort ? { reasoningEffort: "none" } : {}),
        },
      };
    case "bedrock":
      // Its requests may be signed: what is added later would break that.
      return extra === undefined ? {} : { bedrock: { additionalModelRequestFields: extra } };
    default:
      return {};
  }
}

/** Whether leaving the parameter out would change the request. */
export function isAsked(param: Parameter, settings: RequestSettings): boolean {
  if (param === "stop") return settings.stop.length > 0;
  if (param === "maxTokens" || param === "outputLimit" || param === "cacheControl" || param === "streamOptions") {
    return true;
  }
  return settings[param] !== undefined;
}

/** Names under which providers speak of these parameters, longest first so that a part of a name never wins. */
const wireNames: readonly (readonly [string, Parameter])[] = [
  ["output_config.effort", "effort"],
  ["reasoning_effort", "effort"],
  ["reasoning.effort", "effort"],
  ["output_config", "effort"],
  ["stop_sequences", "stop"],
  ["stream_options", "streamOptions"],
  ["cache_control", "cacheControl"],
  ["temperature", "temperature"],
  ["max_tokens", "maxTokens"],
  ["thinking", "effort"],
  ["reasoning", "effort"],
  ["effort", "effort"],
  ["top_p", "topP"],
  ["top_k", "topK"],
  ["stop", "stop"],
];

/** The first parameter that a text names as providers write it, whole words only. */
export function findParameter(text: string): { wireName: string; param: Parameter } | undefined {
  const lower = text.toLowerCase();
  // Of two that exclude each other the one goes that matters less.
  if (/temperature.{0,20}top_p.{0,20}both/.test(lower)) return { wireName: "top_p", param: "topP" };
  for (const [wireName, param] of wireNames) {
    const pattern = new RegExp(`(?<![\\w.])${wireName.replace(".", "\\.")}(?![\\w])`);
    if (pattern.test(lower)) return { wireName, param };
  }
  return undefined;
}
