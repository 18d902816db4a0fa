// What somebody edited in place of a call's arguments, judged before it is sent: whether it is an object of JSON that fits the tool's schema,
// whether all its digits arrive, and whether anything was changed at all. Pure.
import { checkValue } from "../../parts/schema-form/check-value.ts";
import { hasDraft, isExact, isSameJson, parseDraft, renderJson, type Json } from "../../parts/schema-form/json-text.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import { tellPath } from "./difference.ts";
import { isHiddenPath, parsePointer } from "./pointers.ts";

export type JudgedVersion =
  | { readonly arguments: Readonly<Record<string, unknown>>; readonly text: string }
  | { readonly problem: string; readonly isSame: boolean };

export interface Asked {
  /** As texts of JSON. */
  readonly arguments: string;
  readonly schema: string | undefined;
  readonly redacted: readonly string[];
}

/** Anything fits where it is not known. */
export function readSchema(schema: string | undefined): unknown {
  try {
    return schema === undefined ? {} : JSON.parse(schema);
  } catch {
    return {};
  }
}

export function judgeVersion(version: Json, asked: Asked): JudgedVersion {
  const refuse = (problem: string) => ({ problem, isSame: false });
  if (hasDraft(version)) return refuse(words.editDraft);
  if (version.kind !== "object") return refuse(words.editNoObject);
  if (isSameJson(parseDraft(asked.arguments), version)) return { problem: words.editSame, isSame: true };
  const lossy = findLossyNumber(version);
  if (lossy !== undefined) return refuse(fill(words.editLossy, { number: lossy }));
  const pointers = asked.redacted.map(parsePointer);
  // The real value is put back for what is hidden, and that one was checked when it was asked.
  const [found] = checkValue(readSchema(asked.schema), version).filter(({ path }) => !isHiddenPath(pointers, path));
  if (found !== undefined) {
    const { path, message } = found;
    return refuse(path.length === 0 ? message : fill(words.editProblem, { name: tellPath(path), message }));
  }
  const text = renderJson(version);
  const parsed: unknown = JSON.parse(text);
  return isObject(parsed) ? { arguments: parsed, text } : refuse(words.editNoObject);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The first number whose digits a program that counts in 64-bit floating point would change. */
function findLossyNumber(value: Json): string | undefined {
  if (value.kind === "number") return isExact(value.text) ? undefined : value.text;
  const parts = value.kind === "array" ? value.items : value.kind === "object" ? value.fields.values() : [];
  for (const part of parts) {
    const found = findLossyNumber(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
