// Names of models as fast-agent has them → provider.model-name.
import { efforts } from "../../crds/agent-settings.ts";
import { isBuiltIn } from "../../plan/models.ts";
import { modelAliases } from "./model-aliases.ts";
import { isVendor } from "./vendors.ts";

export interface NamedModel {
  /** provider.model-name */
  ref: string;
  provider: string;
  /** Sampling that was part of the name: `?reasoning=high`. */
  request: ReadonlyMap<string, string>;
  /** The short name that it was found by, which means another model in other releases. */
  alias?: string;
}

/** Vendors whose models cannot be mistaken. */
const families: readonly [RegExp, string][] = [
  [/^claude-[a-z]+-\d|^claude-\d/, "anthropic"],
  [/^(gpt-(?!oss)\d|o[134](-|$)|chatgpt-)/, "openai"],
  [/^gemini-\d/, "google"],
];

const wordEnding = new RegExp(`^(.+)\\.(${efforts.join("|")})$`);

/** A model by reference, or why its name is not clear. */
export function resolveModelName(name: string, references: ReadonlyMap<string, string>): NamedModel | string {
  let spec = name.trim();
  for (let step = 0; spec.startsWith("$"); step += 1) {
    const next = references.get(spec.slice(1));
    if (next === undefined || step > 10) return `model_references has no model for "${spec}"`;
    spec = next.trim();
  }
  const [base = "", query = ""] = spec.split("?", 2);
  const request = new Map(new URLSearchParams(query));
  const [, withoutEffort, effort] = wordEnding.exec(base) ?? [];
  if (effort !== undefined) request.set("reasoning", effort);
  const plain = withoutEffort ?? base;
  const alias = modelAliases.get(plain);
  const ref = alias ?? resolveBase(plain);
  if (ref === undefined) return `"${base}" is not a model of a known provider`;
  if (/\s/.test(ref) || ref.length > 256) return "it is not the name of a model";
  const provider = ref.split(".", 1)[0] ?? "";
  return { ref, provider, request, ...(alias === undefined ? {} : { alias: plain }) };
}

function resolveBase(base: string): string | undefined {
  if (isBuiltIn(base)) return base;
  const [, provider = "", separator = "", model = ""] = /^([^./]+)([./])([^]+)$/.exec(base) ?? [];
  if (isVendor(provider) || (separator === "." && isBuiltIn(provider))) return `${provider}.${model}`;
  const family = families.find(([pattern]) => pattern.test(base));
  return family === undefined ? undefined : `${family[1]}.${base}`;
}
