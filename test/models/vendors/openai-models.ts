// What OpenAI's models refuse of sampling, effort and limits of answers, in both of its APIs: which of them reason, always or when
// asked.
import { at, numberOf, textOf, type Json } from "./json.ts";
import type { Fault, Rule, VendorRequest } from "./rule.ts";

/** The matrix of pydantic-ai (profiles/openai.py), checked by its authors against the live API in July 2026. */
const families: readonly (readonly [prefix: RegExp, reasoning: "always" | "by default" | "on request" | "never"])[] = [
  [/^gpt-6/, "always"],
  [/^gpt-5\.[2-9]-pro/, "always"],
  [/^gpt-5\.[5-9]/, "by default"],
  [/^gpt-5\.[123]-chat/, "always"],
  [/^gpt-5\.1-codex/, "always"],
  [/^gpt-5\.[1-4]/, "on request"],
  [/^gpt-5-chat/, "never"],
  [/^(gpt-5|o\d)/, "always"],
];

const familyOf = (model: string) => families.find(([prefix]) => prefix.test(model))?.[1] ?? "never";

export const canReason = (model: string): boolean => familyOf(model) !== "never";

/** Whether this call reasons. */
function reasons(model: string, effort: string | undefined): boolean {
  const family = familyOf(model);
  if (family === "always") return true;
  if (family === "by default") return effort !== "none";
  return family === "on request" && effort !== undefined && effort !== "none";
}

/** Efforts that a model refuses, as far as that was seen. */
export function refusesEffort(model: string, effort: string): boolean {
  if (/^gpt-5\.[123]-chat/.test(model)) return effort !== "medium";
  if (effort === "minimal") return /^(gpt-5\.6|gpt-6)/.test(model);
  return effort === "none" && familyOf(model) === "always";
}

export const effortOf = ({ body }: VendorRequest): string | undefined =>
  textOf(body["reasoning_effort"] ?? at(body["reasoning"], "effort")) || undefined;

/** The first sampler that was given although the call reasons; the default value is no fault. */
function findSampler(request: VendorRequest): "temperature" | "top_p" | undefined {
  if (!reasons(request.model, effortOf(request))) return undefined;
  return (["temperature", "top_p"] as const).find((name) => (numberOf(request.body[name]) ?? 1) !== 1);
}

/** How it is worded differs. */
export const samplers = (refuse: (param: string, request: VendorRequest) => Fault): Rule => ({
  name: "samplers of reasoning models",
  source: "pydantic-ai profiles/openai.py (live, July 2026)",
  find(request) {
    const param = findSampler(request);
    return param === undefined ? undefined : refuse(param, request);
  },
});

/** `nameOf` says under which of its names a body has it. */
export const outputLimit = (nameOf: (body: Json) => string): Rule => ({
  name: "output limit",
  source: "ChatGPTNextWeb/NextChat#3195; the limit is the mock's setting",
  find({ body, maxOutputTokens = Infinity }) {
    const param = nameOf(body);
    const asked = numberOf(body[param]) ?? 0;
    if (asked <= maxOutputTokens) return undefined;
    return {
      message: `${param} is too large: ${asked}. This model supports at most ${maxOutputTokens} completion tokens, whereas you provided ${asked}.`,
      param,
      code: "invalid_value",
    };
  },
});
