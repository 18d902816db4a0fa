// What a model has taught by refusing requests: kept as long as the process lives, so that each lesson is paid for once. Judges
// whether a refused request is worth another try, made otherwise.
import type { RequestSettings } from "../../crds/run-config.ts";
import { answerMinTokens, type Refusal } from "./refusals.ts";
import { findParameter, isAsked, type Parameter } from "./sampling.ts";
import { ModelError } from "./types.ts";
import type { VendorRules } from "./vendor-rules.ts";

/** Tools whose schemas a provider refuses by name one by one; with more, something else is wrong. */
const maxRefusedTools = 32;
/** Tried where the account allows no request of this size and none was named: what a server counts for it nobody says. */
const shortAnswerTokens = 1_024;

export interface Learned {
  readonly parameters: Set<Parameter>;
  readonly tools: Set<string>;
  /** The most that it writes. */
  outputMax?: number;
  /** What input and answer share. */
  windowTokens?: number;
  rules: Partial<VendorRules>;
}

/** Of one request only. */
export interface ThisTime {
  outputMax?: number;
  /** No limit is sent: the server takes the rest of its window. */
  unlimited?: boolean;
  /** Answers go back as plain text and calls. */
  plainReplay?: boolean;
}

export interface Sent {
  settings: RequestSettings;
  /** Names, in the order of the request. */
  tools: readonly string[];
  outputTokens: number | undefined;
  mayOmitLimit: boolean;
  /** Parameters that were left out. */
  refused: ReadonlySet<Parameter>;
  rules: VendorRules;
}

/** One line for the log, and what it is about. */
export interface Lesson {
  message: string;
  fields: Record<string, unknown>;
}

export const createLearned = (): Learned => ({ parameters: new Set(), tools: new Set(), rules: {} });

/** Takes a refusal in; undefined when the same request would be made again. */
export function learn(error: unknown, sent: Sent, learned: Learned, thisTime: ThisTime): Lesson | undefined {
  if (!(error instanceof ModelError)) return undefined;
  const { refusal } = error;
  if (refusal === undefined) return learnParameter(error, sent, learned);
  switch (refusal.what) {
    case "output-limit":
      return learnOutputLimit(refusal, sent, learned, thisTime);
    case "tools":
      return learnTools(refusal, sent, learned) ?? learnParameter(error, sent, learned);
    case "replay":
      if (thisTime.plainReplay === true) return undefined;
      thisTime.plainReplay = true;
      return { message: "reasoning of earlier answers is refused, it is left out this time", fields: {} };
    default:
      return learnRules(rulesOf(refusal), sent, learned);
  }
}

function learnParameter(error: ModelError, { settings, refused }: Sent, { parameters }: Learned): Lesson | undefined {
  if (error.kind !== "unsupported_param") return undefined;
  const param = findParameter(error.param ?? "")?.param;
  // Another call may have learned it meanwhile; what counts is what this one sent.
  if (param === undefined || refused.has(param) || !isAsked(param, settings)) return undefined;
  parameters.add(param);
  return { message: "the model refuses a request setting, it is left out from now on", fields: { param } };
}

type Refused<What extends string> = Extract<Refusal, { what: What }>;

function learnOutputLimit(
  refusal: Refused<"output-limit">,
  { outputTokens, mayOmitLimit }: Sent,
  learned: Learned,
  thisTime: ThisTime,
): Lesson | undefined {
  const { maxTokens, windowTokens, inputTokens, excessTokens, passing } = refusal;
  // None was sent because one was refused.
  const wasLeftOut = thisTime.unlimited === true || learned.parameters.has("outputLimit");
  if (outputTokens === undefined && wasLeftOut) return undefined;
  const rest = windowTokens !== undefined && inputTokens !== undefined ? windowTokens - inputTokens : undefined;
  const within = outputTokens === undefined ? shortAnswerTokens : outputTokens - (excessTokens ?? 0);
  const next = maxTokens ?? rest ?? (excessTokens === undefined ? undefined : within);
  if (windowTokens !== undefined) learned.windowTokens = windowTokens;
  const fields = { askedTokens: outputTokens ?? null, maxTokens: next ?? null, windowTokens: windowTokens ?? null };
  const cure = "set modelCapabilities.maxOutputTokens or request.maxTokens";
  if (next === undefined || next >= (outputTokens ?? Infinity)) {
    if (!mayOmitLimit || outputTokens === undefined) return undefined;
    thisTime.unlimited = true;
    if (windowTokens === undefined) learned.parameters.add("outputLimit");
    return { message: `the model refuses the limit of its answer, none is sent: ${cure}`, fields };
  }
  if (next < 1 || (excessTokens !== undefined && next < answerMinTokens)) return undefined;
  thisTime.outputMax = next;
  if (maxTokens !== undefined && passing !== true) learned.outputMax = maxTokens;
  return { message: `the model writes less than it was asked for, a lower limit is sent: ${cure}`, fields };
}

function learnTools({ indexes, names }: Refused<"tools">, { tools }: Sent, learned: Learned): Lesson | undefined {
  const known = names.filter((name) => tools.includes(name));
  const named = known.length > 0 ? known : indexes.flatMap((index) => tools[index] ?? []);
  if (named.length === 0) return undefined;
  if (learned.tools.size + named.length > maxRefusedTools) return undefined;
  for (const name of named) learned.tools.add(name);
  return { message: "the provider refuses tools, they are left out from now on", fields: { tools: named } };
}

function rulesOf(refusal: Refusal): Partial<VendorRules> {
  if (refusal.what === "tool-count") return { maxTools: refusal.limit };
  if (refusal.what === "image-count") return { maxImages: refusal.limit };
  if (refusal.what === "call-ids") return { nineCharacterIds: true };
  if (refusal.what === "user-after-tool") return { refusesUserAfterTool: true };
  if (refusal.what === "effort-with-tools") return { refusesEffortWithTools: true };
  if (refusal.what === "output-wanted") return { wantsOutputLimit: true };
  if (refusal.what === "reasoning-content") return { reasoningContent: refusal.wanted ? "keep" : "omit" };
  return {};
}

/** A rule that was kept already is not what was refused. */
function learnRules(taught: Partial<VendorRules>, { rules }: Sent, learned: Learned): Lesson | undefined {
  const isNew = Object.entries(taught).some(([name, value]) =>
    Object.entries(rules).some(([key, known]) => key === name && known !== value),
  );
  if (!isNew) return undefined;
  Object.assign(learned.rules, taught);
  return { message: "the provider has a rule that was not known, it is kept from now on", fields: { rule: taught } };
}
