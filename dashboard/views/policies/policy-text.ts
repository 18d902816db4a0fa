// Policies as text: the gateway's, one document each, and the copy of one policy's rules that somebody edits, as YAML or JSON, judged as it
// is typed by what judges the real one. Pure; parsed as plain data, whatever tags are in it.
import { dump, load, loadAll, YAMLException } from "js-yaml";
import { compilePolicy } from "../../../lib/policy/compile.ts";
import type { ResourceKind } from "../../connect/resources.ts";
import { policySchema, rulesSchema, type ShownPolicy, type ShownRules } from "../../data/policies.ts";
import { fill } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";

/** All policies that the person sees. Throws on what is none. */
export const policiesResource: ResourceKind<ShownPolicy[]> = {
  parse: (text) =>
    loadAll(text)
      .filter((document) => document !== null && document !== undefined)
      .map((document) => policySchema.parse(document)),
};

const lineWidth = 110;

export const renderRules = ({ rules, default: fallback }: ShownRules): string =>
  dump({ rules, default: fallback }, { noRefs: true, lineWidth, flowLevel: 4 });

export type ReadRules =
  | { readonly ok: true; readonly rules: ShownRules; readonly written: Record<string, unknown>[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Far above the 256 KiB that a policy may have as JSON. */
export const maxTextChars = 512 * 1024;

export function readRules(text: string): ReadRules {
  const parsed = parse(text.slice(0, maxTextChars));
  if (!parsed.ok) return parsed;
  const { problems } = compilePolicy(parsed.value);
  if (problems.length > 0) return { ok: false, problems: problems.map(({ message }) => message) };
  const shown = rulesSchema.safeParse(parsed.value);
  if (!shown.success) return { ok: false, problems: [words.notRules] };
  const { rules, default: fallback } = shown.data;
  return { ok: true, rules: { rules, default: fallback }, written: rules };
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: string[] };

function parse(text: string): Parsed {
  try {
    const value = load(text, { maxAliases: 0 });
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    return isMap ? { ok: true, value } : { ok: false, problems: [words.notRules] };
  } catch (error) {
    return { ok: false, problems: [tellError(error)] };
  }
}

function tellError(error: unknown): string {
  if (!(error instanceof YAMLException)) return words.notRules;
  const { mark, reason } = error;
  if (mark === undefined) return reason;
  return fill(words.notParsed, { line: mark.line + 1, column: mark.column + 1, reason });
}
