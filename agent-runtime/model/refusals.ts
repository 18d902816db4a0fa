// What a provider's refusal asks to be done otherwise, read out of its words: a lower limit of tokens, a tool left out, reasoning
// sent back or not. Vendors agree on no shape, so these are words seen in their answers (docs/models.md). Pure; what it does
// not know is no refusal that can be mended.

export type Refusal =
  | {
      what: "output-limit";
      /** The most that the model writes, whatever it reads. */
      maxTokens?: number;
      /** The window that input and answer share. */
      windowTokens?: number;
      inputTokens?: number;
      /** By how much the request is above what the account may ask for at once. */
      excessTokens?: number;
      /** True of this request only: the account's credit, or what it asked for within a minute. */
      passing?: true;
    }
  | { what: "tools"; indexes: number[]; names: string[] }
  | { what: "tool-count"; limit: number }
  | { what: "image-count"; limit: number }
  | { what: "reasoning-content"; wanted: boolean }
  /** Reasoning, signatures or items of earlier answers are not taken as they are sent back. */
  | { what: "replay" }
  | { what: "call-ids" }
  | { what: "user-after-tool" }
  | { what: "effort-with-tools" }
  /** The limit of an answer must be sent. */
  | { what: "output-wanted" };

export interface RefusalText {
  status: number | undefined;
  /** All that was said: message, parameter, code. */
  text: string;
}

const maxReadChars = 20_000;
/** With less room than this for an answer, a conversation is too long rather than the answer. */
const roomMinTokens = 1_024;
const roomMinShare = 1 / 16;
/** Nobody is helped by an answer that is shorter. */
export const answerMinTokens = 256;

const outputParameter = /max_(completion_|output_|new_)?tokens|max_?output_?tokens|maximum tokens you requested/;

/** The highest value is the first group; exclusive where the second element says so. */
const limitForms: readonly (readonly [RegExp, "inclusive" | "exclusive"])[] = [
  [/supports at most (\d+) (?:completion|output) tokens/, "inclusive"],
  [/max_tokens: \d+ > (\d+), which is the maximum/, "inclusive"],
  [/max_\w*tokens[`'"]? must be (?:less than or equal to|at most|<=) [`'"]?(\d+)/, "inclusive"],
  [/range of max_\w*tokens (?:is|should be) \[\d+, ?(\d+)\]/, "inclusive"],
  [
    /maxoutputtokens value of \d+ but the supported range is from \d+ \(inclusive\) to (\d+) \(exclusive\)/,
    "exclusive",
  ],
  [/maximum tokens you requested exceeds the model limit of (\d+)/, "exclusive"],
  [/max_\w*tokens.{0,80}expected a value <= (\d+)/, "inclusive"],
];

/** Groups: window, and where they are said input, or all that was asked for with its share for the answer. */
const windowForms: readonly RegExp[] = [
  /maximum context length is (?<window>\d+) tokens and your request has (?<input>\d+) input tokens/,
  /passed (?<input>\d+) input tokens and requested \d+ output tokens.{0,60}context length is only (?<window>\d+)/,
  /max_tokens=\d+ ?cannot be greater than max_model_len=(?<window>\d+)/,
  /exceed context limit: (?<input>\d+) \+ \d+ > (?<window>\d+)/,
  /maximum context length is (?<window>\d+) tokens.{0,30}you requested (?:about )?(?<total>\d+) tokens \([^)]{0,120}?(?<output>\d+) in the (?:completion|output)\)/,
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<window>\d+)(?:\. given: (?<input>\d+) `inputs` tokens)?/,
];

const perMinute = /tokens per (?:minute|day)|\b[ti]pm\b/;
const askedTooMuch = /limit:? (\d+).{0,40}requested:? (\d+)/;
const affordable = /requested up to \d+ tokens, but can only afford (\d+)/;

/** What the words ask for; undefined where nothing of the request can be mended. */
export function parseRefusal({ status, text }: RefusalText): Refusal | undefined {
  const words = text.slice(0, maxReadChars).toLowerCase();
  return (
    parseAccountLimit(words) ??
    (status === 429 || status === 401 || status === 403
      ? undefined
      : parseRequestProblem(words, text.slice(0, maxReadChars)))
  );
}

/** A limit of the account that this one request breaks by itself: waiting never helps. */
function parseAccountLimit(words: string): Refusal | undefined {
  const afford = numberOf(affordable.exec(words)?.[1]);
  if (afford !== undefined && afford >= answerMinTokens) {
    return { what: "output-limit", maxTokens: afford, passing: true };
  }
  if (!perMinute.test(words) || !words.includes("request too large")) return undefined;
  const [, limit, asked] = askedTooMuch.exec(words)?.map(numberOf) ?? [];
  if (limit === undefined || asked === undefined || asked <= limit) return undefined;
  return { what: "output-limit", excessTokens: asked - limit, passing: true };
}

function parseRequestProblem(words: string, text: string): Refusal | undefined {
  // What the model wrote was refused: the tools are as they should be.
  if (words.includes("tool_use_failed") || words.includes("tool call validation failed")) return undefined;
  const form = parseWords(words);
  if (form !== undefined) return form;
  const output = parseOutputLimit(words);
  if (output !== undefined) return output === "overflow" ? undefined : output;
  return parseTools(words, text);
}

function parseWords(words: string): Refusal | undefined {
  if (words.includes("reasoning_content")) {
    if (/must be passed back|is missing|is required/.test(words)) return { what: "reasoning-content", wanted: true };
    return /unsupported|not supported|not permitted|not allowed|forbidden/.test(words)
      ? { what: "reasoning-content", wanted: false }
      : undefined;
  }
  if (words.includes("function tools with reasoning_effort are not supported")) return { what: "effort-with-tools" };
  if (/tool call id was .{0,300}must be a-z/.test(words)) return { what: "call-ids" };
  if (words.includes("unexpected role 'user' after role 'tool'")) return { what: "user-after-tool" };
  const count = /'tools': array too long.{0,40}maximum length (\d+)|at most (\d+) function declarations/.exec(words);
  const limit = numberOf(count?.[1] ?? count?.[2]);
  if (limit !== undefined) return { what: "tool-count", limit };
  const images = /(?:at most|up to) (\d{1,4}) image/.exec(words)?.[1];
  if (images !== undefined) return { what: "image-count", limit: Number(images) };
  if (/max_tokens[`'"]?(: field required| is required)|missing.{0,40}max_tokens/.test(words)) {
    return { what: "output-wanted" };
  }
  return replayForms.test(words) ? { what: "replay" } : undefined;
}

const replayForms = new RegExp(
  "invalid `?signature`? in `?thinking|`?thinking`?.{0,60}(cannot be modified|, but found)|item with id '\\w+_\\w+' not found|" +
    "was provided without its required|invalid_encrypted_content|encrypted content.{0,40}could not be verified",
);

/** `overflow`: what is said is that the input itself leaves no room. */
function parseOutputLimit(words: string): Refusal | "overflow" | undefined {
  for (const form of windowForms) {
    const groups = form.exec(words)?.groups;
    const windowTokens = numberOf(groups?.["window"]);
    if (windowTokens === undefined) continue;
    const [total, output] = [numberOf(groups?.["total"]), numberOf(groups?.["output"])];
    const rest = total === undefined || output === undefined ? undefined : total - output;
    const inputTokens = numberOf(groups?.["input"]) ?? rest;
    if (inputTokens === undefined) return { what: "output-limit", windowTokens };
    const room = windowTokens - inputTokens;
    if (room < Math.min(roomMinTokens, windowTokens * roomMinShare)) return "overflow";
    return { what: "output-limit", windowTokens, inputTokens };
  }
  for (const [form, kind] of limitForms) {
    const limit = numberOf(form.exec(words)?.[1]);
    if (limit !== undefined) return { what: "output-limit", maxTokens: kind === "inclusive" ? limit : limit - 1 };
  }
  const tooLarge = /too (large|high|big)|exceeds|must be (less|at most)|cannot exceed|out of range|invalid value/;
  return outputParameter.test(words) && tooLarge.test(words) ? { what: "output-limit" } : undefined;
}

/** Indexes as OpenAI, Anthropic, Google and Bedrock write them; members of AWS's lists are counted from 1. */
const toolPlace = /\btools[.[](\d{1,4})\b\]?(\.member)?(?:\.function_declarations\[(\d{1,4})\])?/g;
const toolName = /(?:function declaration found:|function|tool) ['"`]?([\w.-]{1,128})/gi;

function parseTools(words: string, text: string): Refusal | undefined {
  const indexes = [...words.matchAll(toolPlace)].map(
    ([, index, member, declaration]) => Number(declaration ?? index) - (member === undefined ? 0 : 1),
  );
  const names = [...text.matchAll(toolName)].map(([, name = ""]) => name);
  if (indexes.length === 0 && names.length === 0) return undefined;
  return { what: "tools", indexes: [...new Set(indexes)], names: [...new Set(names)] };
}

const overflowForms = new RegExp(
  [
    "context_length_exceeded|contextwindowexceeded|exceed_context_size|model_context_window_exceeded|request_too_large|prompt is too long",
    "maximum context length|context window|available context size|context size.{0,40}exceed|input is too long",
    "exceeds? the.{0,20}context|exceed context limit|greater than the context length|longer than the model's context length",
    "input token count.{0,40}exceeds the maximum|maximum prompt length is|exceeded model token limit|token limit exceeded",
    "reduce the length of the (messages|input prompt)|with context length of only|context the overflows",
    "prompt (too long|exceeds max length)|prompt token count.{0,40}exceeds|range of input length should be",
    "maximum input length of|`inputs` (tokens|must have)|request body too large for \\S+ model",
  ].join("|"),
);

/** Whether a refusal says that what was sent is longer than the model reads. */
export function isOverflow({ status, text }: RefusalText): boolean {
  const words = text.slice(0, maxReadChars).toLowerCase();
  if (status === 401 || status === 429 || perMinute.test(words)) return false;
  if (status === 413) return true;
  const output = parseOutputLimit(words);
  return output === "overflow" || (output === undefined && overflowForms.test(words));
}

const windowNames =
  /(?:maximum context length is|context length is only|context length of only|maximum number of tokens allowed \(|maximum prompt length is|context size \(|context limit: \d+ \+ \d+ >|> )(?: ?)(\d+)(?: tokens| maximum|\)| but|,|$|\.)/;

/** The window that a refusal names; undefined where it names none. */
export function parseWindow(text: string): number | undefined {
  const tokens = numberOf(windowNames.exec(text.slice(0, maxReadChars).toLowerCase())?.[1]);
  return tokens !== undefined && tokens >= answerMinTokens ? tokens : undefined;
}

function numberOf(digits: string | undefined): number | undefined {
  const value = digits === undefined ? Number.NaN : Number(digits);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
