// An agent's definition as text, and what somebody who edits fields of it would change: a merge patch of what differs. Pure.
import { dump, load, YAMLException } from "js-yaml";
import type { AgentInfo } from "../../../data/agent-info.ts";
import { fill } from "../../../words/fill.ts";
import { policyWords } from "../../../words/policies.ts";
import { tabWords as words } from "../../../words/tabs.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the gateway tells of how it stands, which is no part of what it is. */
const standing = new Set([
  "health",
  "ready",
  "starting",
  "message",
  "reason",
  "url",
  "uid",
  "waiting",
  "runs",
  "last_call_at",
]);

const toYaml = (fields: Fields): string => dump(fields, { noRefs: true, lineWidth: 100 });

export function renderDefinition(info: AgentInfo): string {
  const fields = Object.entries(info).filter(([name, value]) => !standing.has(name) && !isEmpty(value));
  return toYaml(Object.fromEntries(fields));
}

const isEmpty = (value: unknown): boolean =>
  value === "" || value === undefined || (Array.isArray(value) && value.length === 0);

/** Of the spec, as far as it is known here; the title, the model and the scope may be the instance's, and are left where they are not changed. */
export function knownFields({ title, description, model, replicas, scope, servers, agents }: AgentInfo): Fields {
  const named = (names: readonly string[]) => names.map((name) => ({ name }));
  const fields = { title, description, model, replicas, scope, servers: named(servers), agents: named(agents) };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

export const renderFields = (fields: Fields): string => dump(fields, { noRefs: true, lineWidth: 100, flowLevel: 2 });

export type ReadPatch =
  | { readonly ok: true; readonly patch: Fields }
  | { readonly ok: false; readonly problem: string };

/** Of what differs from `known`; a field that is not in the text is left as it is. */
export function readPatch(text: string, known: Fields): ReadPatch {
  try {
    const value = load(text.trim() === "" ? "{}" : text, { maxAliases: 0 });
    if (!isFields(value)) return { ok: false, problem: words.notFields };
    const changed = Object.entries(value).filter(
      ([name, field]) => JSON.stringify(field) !== JSON.stringify(known[name]),
    );
    return { ok: true, patch: Object.fromEntries(changed) };
  } catch (error) {
    return { ok: false, problem: tellError(error) };
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function tellError(error: unknown): string {
  if (!(error instanceof YAMLException)) return words.notFields;
  const { mark, reason } = error;
  if (mark === undefined) return reason;
  return fill(policyWords.notParsed, { line: mark.line + 1, column: mark.column + 1, reason });
}

export const renderPatch = (patch: Fields): string => toYaml(patch);
