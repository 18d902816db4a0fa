// Names of models as fast-agent has them → provider.model-name. Only what is the same in every release of it is
// resolved: `sonnet` means another model from one to the next.
import { efforts } from "../../crds/agent-settings.ts";
import { isBuiltIn } from "../../plan/models.ts";
import { isVendor } from "./vendors.ts";

export interface NamedModel {
  /** provider.model-name */
  ref: string;
  provider: string;
  /** Sampling that was part of the name: `?reasoning=high`. */
  request: ReadonlyMap<string, string>;
}

/** Short names that say their version. */
const versioned: readonly [RegExp, (family: string, version: string) => string][] = [
  [/^(opus|sonnet|haiku)(\d)(\d)$/, (family, version) => `anthropic.claude-${family}-${version}`],
  [/^(gpt)5([1-9])$/, (_, version) => `openai.gpt-5.${version}`],
];

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
  const ref = resolveBase(withoutEffort ?? base);
  if (ref === undefined) return `"${base}" is a short name, which means another model from release to release`;
  if (/\s/.test(ref) || ref.length > 256) return "it is not the name of a model";
  const provider = ref.split(".", 1)[0] ?? "";
  return { ref, provider, request };
}

function resolveBase(base: string): string | undefined {
  if (isBuiltIn(base)) return base;
  const slash = base.indexOf("/");
  if (slash > 0 && isVendor(base.slice(0, slash))) return `${base.slice(0, slash)}.${base.slice(slash + 1)}`;
  const dot = base.indexOf(".");
  if (dot > 0 && dot < base.length - 1 && (isVendor(base.slice(0, dot)) || isBuiltIn(base.slice(0, dot)))) return base;
  for (const [pattern, name] of versioned) {
    const found = pattern.exec(base);
    if (found) return name(found[1] ?? "", found.slice(2).join("-"));
  }
  const family = families.find(([pattern]) => pattern.test(base));
  return family === undefined ? undefined : `${family[1]}.${base}`;
}
