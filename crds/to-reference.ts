// zod → docs/reference.md: every field of both resources as a reader looks it up, with type, default and limits. Run it
// to write the page; with --check it fails when the committed one is stale. A part that stands in several places is
// written out once and linked from the others. What a field means is said in the schema, never here.
import { readFile, writeFile } from "node:fs/promises";
import * as z from "zod";
import { pallasAgent } from "./agent.ts";
import type { ResourceDefinition } from "./definition.ts";
import { pallasInstance } from "./instance.ts";
import { apiVersion } from "./names.ts";

const ruleSchema = z.object({ rule: z.string(), message: z.string() });

const fieldSchema = z.object({
  type: z.string().optional(),
  description: z.string().default(""),
  default: z.unknown().optional(),
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof fieldSchema>> {
    return z.record(z.string(), fieldSchema).optional();
  },
  required: z.array(z.string()).default([]),
  get items(): z.ZodOptional<typeof fieldSchema> {
    return fieldSchema.optional();
  },
  get additionalProperties(): z.ZodOptional<z.ZodUnion<[z.ZodBoolean, typeof fieldSchema]>> {
    return z.union([z.boolean(), fieldSchema]).optional();
  },
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxItems: z.number().optional(),
  maxProperties: z.number().optional(),
  "x-expected": z.string().optional(),
  "x-kubernetes-int-or-string": z.boolean().optional(),
  "x-kubernetes-list-map-keys": z.array(z.string()).optional(),
  "x-kubernetes-validations": z.array(ruleSchema).default([]),
});
type Field = z.output<typeof fieldSchema>;

/** What no pattern lets through, so that a schema says in words what it expects. */
const unwanted = "\n\0";

function readField(schema: z.ZodType): Field {
  const json = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    reused: "inline",
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema["pattern"] === undefined || jsonSchema["type"] !== "string") return;
      const { error } = z.core.safeParse(zodSchema, unwanted);
      const said = error?.issues.map(({ message }) => message).find((message) => message.startsWith("must be "));
      if (said !== undefined) jsonSchema["x-expected"] = said.slice("must be ".length);
    },
  });
  return fieldSchema.parse(json);
}

const mapValue = ({ additionalProperties: value }: Field): Field | undefined =>
  typeof value === "object" ? value : undefined;
const rulesOf = (field: Field): string[] => field["x-kubernetes-validations"].map(({ message }) => message);
const isDuration = (field: Field): boolean =>
  field["x-kubernetes-validations"].some(({ rule }) => rule.startsWith("duration(self)"));

function typeOf(field: Field): string {
  const value = mapValue(field);
  if (field["x-kubernetes-int-or-string"]) return "quantity";
  if (field.items) return `list of ${typeOf(field.items)}`;
  if (value) return `map of ${typeOf(value)}`;
  if (field.format === "date-time") return "time";
  if (field.enum) return "enum";
  return isDuration(field) ? "duration" : (field.type ?? "any");
}

/** "Default 60s." and "Default: the name." at the end of a description. */
const defaultSentence = / ?\bDefault:? (.+?)\.(?= [A-Z]|$)/;

/** What holds where nothing is written; empty where that is nothing. */
function defaultOf(field: Field): string {
  if (field.default !== undefined) return `\`${String(field.default)}\``;
  return defaultSentence.exec(field.description)?.[1] ?? "";
}

const count = (amount: number): string => amount.toLocaleString("en-GB");

function limitsOf(field: Field): string {
  const inner = field.items ?? mapValue(field);
  const keys = field["x-kubernetes-list-map-keys"];
  // A quantity has the bounds of what a number can hold exactly, which nobody meets.
  const bounded = field["x-kubernetes-int-or-string"] || (field.maximum ?? Infinity) >= Number.MAX_SAFE_INTEGER;
  return [
    ...(field.enum ? [field.enum.map((word) => `\`${word}\``).join(", ")] : []),
    ...(bounded || field.minimum === undefined ? [] : [`${count(field.minimum)} to ${count(field.maximum ?? Infinity)}`]),
    ...(field["x-expected"] === undefined ? [] : [field["x-expected"]]),
    ...(field.maxLength === undefined || field.enum || isDuration(field) ? [] : [`≤ ${count(field.maxLength)} characters`]),
    ...(field.maxItems === undefined ? [] : [`≤ ${count(field.maxItems)} entries`]),
    ...(field.maxProperties === undefined ? [] : [`≤ ${count(field.maxProperties)} keys`]),
    ...(keys === undefined ? [] : [`\`${keys.join()}\` unique`]),
    ...rulesOf(field),
    ...(inner && !inner.properties && limitsOf(inner) !== "" ? [`each: ${limitsOf(inner)}`] : []),
  ].join("; ");
}

/** Ids of promises are for readers of the code. */
const meaningOf = ({ description }: Field): string =>
  description.replace(defaultSentence, "").replaceAll(/ ?\([A-Z]{3}-\d+(, [A-Z]{3}-\d+)*\)/g, "").trim();

/** Where a part is written out, by its fields. */
type Written = Map<string, { title: string; path: string }>;

interface Row {
  path: string;
  field: Field;
  required: boolean;
  /** Where the fields below it are written out already. */
  as?: { title: string; path: string };
}

/** A field and all below it, parents first. */
function rowsOf(field: Field, path: string, required: boolean, at: { title: string; written: Written }): Row[] {
  const inner = [field.items, mapValue(field)].find((each) => each?.properties);
  const holder = field.properties ? field : inner;
  if (holder?.properties === undefined) return [{ path, field, required }];
  const id = JSON.stringify([holder.properties, holder.required]);
  const as = at.written.get(id);
  if (as) return [{ path, field, required, as }];
  at.written.set(id, { title: at.title, path });
  const below = `${path}${field.items ? "[]" : ""}`;
  return [
    { path, field, required },
    ...Object.entries(holder.properties).flatMap(([name, child]) =>
      rowsOf(child, below === "" ? name : `${below}.${name}`, holder.required.includes(name), at),
    ),
  ];
}

const anchor = (title: string): string => title.toLowerCase().replaceAll(/[^\w-]/g, "");
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const reference = ({ title, path }: { title: string; path: string }): string =>
  `as [${title}${path === "" ? "" : `.${path}`}](#${anchor(title)})`;

function renderRow({ path, field, required, as }: Row): string {
  const cells = [
    `\`${path}\`${required ? " *" : ""}`,
    typeOf(field),
    defaultOf(field),
    [limitsOf(field), ...(as ? [reference(as)] : [])].filter((part) => part !== "").join("; "),
    meaningOf(field),
  ];
  return `| ${cells.map(cell).join(" | ")} |`;
}

function renderTable(rows: readonly Row[]): string {
  return ["| Field | Type | Default | Limits | Meaning |", "|---|---|---|---|---|", ...rows.map(renderRow), ""].join("\n");
}

/** The plain fields of a spec or status in one table, and one section for each that has fields of its own. */
function renderPart(title: string, schema: z.ZodType, written: Written): string {
  const whole = readField(schema);
  const parts = Object.entries(whole.properties ?? {}).map(([name, field]) => {
    const section = `${title}.${name}`;
    const [head, ...below] = rowsOf(field, "", whole.required.includes(name), { title: section, written });
    if (head === undefined) throw new Error(`${section}: expected a field`);
    return { section, head: { ...head, path: name }, below, field };
  });
  const linked = parts.map(({ section, head, below }): Row =>
    below.length === 0 ? head : { ...head, as: { title: section, path: "" } },
  );
  return [
    `### ${title}\n\n${renderRules(rulesOf(whole))}${renderTable(linked)}`,
    ...parts
      .filter(({ below }) => below.length > 0)
      .map(({ section, below, field }) => `### ${section}\n\n${meaningOf(field)}\n\n${renderTable(below)}`),
  ].join("\n");
}

const renderRules = (rules: readonly string[]): string =>
  rules.length === 0 ? "" : `${rules.map((rule) => `- ${rule}`).join("\n")}\n\n`;

function renderKind(definition: ResourceDefinition, written: Written): string {
  const { kind, singular, shortNames, description, nameRules, columns, spec, status, scale } = definition;
  const wide = columns.filter(({ priority = 0 }) => priority > 0).map(({ name }) => name);
  const names = columns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name);
  return [
    `## ${kind}\n`,
    `${description} Short name \`${shortNames.join("`, `")}\`, category \`pallas\`, namespaced.${
      scale ? " `kubectl scale` and autoscalers set `spec.replicas`." : ""
    } Columns: ${names.join(", ")}; with \`-o wide\` also ${wide.join(", ")}.\n`,
    renderRules(nameRules.map(({ message }) => message)),
    renderPart(`${singular}.spec`, spec, written),
    renderPart(`${singular}.status`, status, written),
  ].join("\n");
}

const head = `<!-- Generated from crds/*.ts by \`make crds\`; do not edit. -->
# Reference: every field

\`${apiVersion}\`. Headings are what \`kubectl explain\` takes: \`kubectl explain pallasagent.spec.limits\`.

- **\\*** after a name: required. An unknown field is refused.
- **Default** is what holds where neither the agent nor, for the fields of
  [agentDefaults](#pallasinstancespecagentdefaults), its instance says anything.
- **duration**: \`30s\`, \`10m\`, \`1h30m\`. **quantity**: \`500m\`, \`512Mi\`, \`1Gi\`, or a whole number.
- References name objects of the same namespace; there is no field for another one.
`;

/** The whole page. */
export function renderReference(): string {
  const written: Written = new Map();
  return `${[head, ...[pallasAgent, pallasInstance].map((definition) => renderKind(definition, written))].join("\n").trimEnd()}\n`;
}

async function main(check: boolean): Promise<void> {
  const file = new URL("../docs/reference.md", import.meta.url);
  if (!check) await writeFile(file, renderReference());
  else if ((await readFile(file, "utf8").catch(() => "")) !== renderReference()) {
    throw new Error('docs/reference.md is stale: run "make crds" and commit the result');
  }
}

if (import.meta.main) await main(process.argv.includes("--check"));
