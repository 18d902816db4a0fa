// What the gateway says is wrong, a line each, at the field that the line names; what names none stands by itself. Pure.
import type { Draft } from "./draft.ts";

export const formFields = [
  "name",
  "title",
  "description",
  "model",
  "instruction",
  "servers",
  "agents",
  "policyRef",
] as const;
export type FormField = (typeof formFields)[number];

export interface PlacedProblems {
  readonly byField: ReadonlyMap<FormField, string>;
  readonly others: readonly string[];
}

export const noProblems: PlacedProblems = { byField: new Map(), others: [] };

/** `spec.servers[0].name: …`, `metadata.name must be …`. */
const pathForm = /^(?:spec\.)?([a-zA-Z]+)(?:[.[][^\s:]*)?: ./;
/** What the gateway refuses before it looks at the fields. */
const taken = /^(?:agent )?"[^"]*" is (?:there already|not for you to create)/;
const notForYou = /^(server|agent) "[^"]*" is not for you to use/;

function fieldOf(line: string): FormField | undefined {
  if (line.startsWith("metadata.name") || line.startsWith("name: ") || taken.test(line)) return "name";
  const [, what] = notForYou.exec(line) ?? [];
  if (what !== undefined) return what === "server" ? "servers" : "agents";
  const [, path] = pathForm.exec(line) ?? [];
  return formFields.find((each) => each === path && each !== "name");
}

export function placeProblems(message: string): PlacedProblems {
  const byField = new Map<FormField, string>();
  const others: string[] = [];
  for (const line of message.split("\n").filter((each) => each.trim() !== "")) {
    const field = fieldOf(line);
    if (field === undefined) others.push(line);
    else byField.set(field, [byField.get(field), line].filter(Boolean).join("\n"));
  }
  return { byField, others };
}

/** Those of fields that are as they were when the gateway was asked. */
export function stillSaid({ byField }: PlacedProblems, asked: Draft, now: Draft): Map<FormField, string> {
  const valueOf = ({ name, spec }: Draft, field: FormField) => JSON.stringify(field === "name" ? name : spec[field]);
  return new Map([...byField].filter(([field]) => valueOf(asked, field) === valueOf(now, field)));
}

export const countProblems = ({ byField, others }: PlacedProblems): number => byField.size + others.length;
