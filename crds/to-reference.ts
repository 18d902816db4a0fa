// zod → docs/reference.md: every field of every kind as a reader looks it up, with type, default and limits. Run it
// to write the page; with --check it fails when the committed one is stale. A part that stands in several places is
// written out once and linked from the others. What a field means is said in the schema, never here.
import { readFile, writeFile } from "node:fs/promises";
import type * as z from "zod";
import type { ResourceDefinition } from "./definition.ts";
import { kinds } from "./kinds.ts";
import { apiVersion } from "./names.ts";
import { defaultOf, limitsOf, mapValue, meaningOf, readField, rulesOf, typeOf, type Field } from "./reference-field.ts";

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
const reference = ({ title, path }: { title: string; path: string }): string => {
  const whole = path === "" ? title : `${title}.${path}`.replace(".[]", "[]");
  return `see [${whole}](#${anchor(title)})`;
};

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
  return ["| Field | Type | Default | Limits | Meaning |", "|---|---|---|---|---|", ...rows.map(renderRow), ""].join(
    "\n",
  );
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
  const {
    kind,
    singular,
    shortNames,
    description,
    nameRules,
    objectRules = [],
    columns,
    spec,
    status,
    scale,
  } = definition;
  const wide = columns.filter(({ priority = 0 }) => priority > 0).map(({ name }) => name);
  const names = columns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name);
  return [
    `## ${kind}\n`,
    `${description} Short name \`${shortNames.join("`, `")}\`, category \`pallas\`, namespaced.${
      scale ? " `kubectl scale` and autoscalers set `spec.replicas`." : ""
    } Columns: ${names.join(", ")}; with \`-o wide\` also ${wide.join(", ")}.\n`,
    renderRules([...nameRules, ...objectRules].map(({ message }) => message)).trimEnd(),
    "",
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
  return `${[head, ...Object.values(kinds).map(({ definition }) => renderKind(definition, written))].join("\n").trimEnd()}\n`;
}

async function main(check: boolean): Promise<void> {
  const file = new URL("../docs/reference.md", import.meta.url);
  if (!check) {
    await writeFile(file, renderReference());
  } else if ((await readFile(file, "utf8").catch(() => "")) !== renderReference()) {
    throw new Error('docs/reference.md is stale: run "make crds" and commit the result');
  }
}

if (import.meta.main) await main(process.argv.includes("--check"));
