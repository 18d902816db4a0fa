// A catalogue of a thousand tools with questions whose answers are in it, from the public sets in test/data/tool-search: what
// tool searches are compared on. Twenty servers of fifty tools each; the last one is kept for later.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";

const toolSchema = z.object({
  id: z.string(),
  server: z.string(),
  name: z.string(),
  description: z.string().default(""),
  params: z.array(
    z.object({
      name: z.string(),
      type: z.string().default(""),
      description: z.string().default(""),
      required: z.boolean(),
    }),
  ),
});
type Tool = z.output<typeof toolSchema>;
const querySchema = z.object({ set: z.string(), query: z.string(), gold: z.array(z.array(z.string())) });

export interface ServedTool {
  name: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, { type: string; description: string }>;
    required: string[];
  };
}

export interface Question {
  readonly set: string;
  readonly query: string;
  /** Groups of tools as `{server}__{tool}`: each is satisfied by any of its tools. */
  readonly gold: readonly (readonly string[])[];
}

export interface Catalogue {
  readonly servers: readonly { readonly name: string; readonly tools: readonly ServedTool[] }[];
  readonly questions: readonly Question[];
}

const folder = join(import.meta.dirname, "../data/tool-search");
const size = 1_000;
const toolsEach = 50;
const maxNameChars = 50;

function readLines<T>(file: string, schema: z.ZodType<T>): T[] {
  const text = gunzipSync(readFileSync(join(folder, `${file}.jsonl.gz`))).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}

const types: Readonly<Record<string, string>> = { NUMBER: "number", INTEGER: "integer", BOOLEAN: "boolean" };

function renderTool({ description, params }: Tool, name: string): ServedTool {
  const properties = params.map(
    (param) =>
      [param.name, { type: types[param.type.toUpperCase()] ?? "string", description: param.description }] as const,
  );
  const required = params.flatMap((param) => (param.required ? [param.name] : []));
  return { name, description, inputSchema: { type: "object", properties: Object.fromEntries(properties), required } };
}

const nameOf = ({ server, name }: Tool): string => {
  const whole = server === name ? name : `${server}_${name}`;
  return whole
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, maxNameChars)
    .replaceAll(/^_+|_+$/g, "");
};

/** Those of the servers that are asked for most, until the catalogue is full: the same on every machine. */
export function readCatalogue(): Catalogue {
  const plugins = readLines("tools-metatool", toolSchema);
  const operations = readLines("tools-stb", toolSchema);
  const questions = ["stb", "metatool"].flatMap((set) => readLines(`queries-${set}`, querySchema));
  const isAsked = new Set(questions.flatMap(({ gold }) => gold.flat()));
  const byServer = Map.groupBy(operations, ({ server }) => server);
  const askedShare = (tools: Tool[]) => tools.filter(({ id }) => isAsked.has(id)).length / tools.length;
  const chosen = [...plugins];
  const names = new Set(chosen.map(nameOf));
  const ordered = [...byServer.values()].toSorted(
    (a, b) => askedShare(b) - askedShare(a) || ((a[0]?.server ?? "") < (b[0]?.server ?? "") ? -1 : 1),
  );
  for (const tools of ordered) {
    const isNew = tools.every((tool) => !names.has(nameOf(tool))) && new Set(tools.map(nameOf)).size === tools.length;
    if (!isNew || chosen.length + tools.length > size) continue;
    chosen.push(...tools);
    for (const tool of tools) names.add(nameOf(tool));
  }
  const serverOf = (at: number) => `catalogue-${String(Math.floor(at / toolsEach)).padStart(2, "0")}`;
  const nameById = new Map(chosen.map((tool, at) => [tool.id, `${serverOf(at)}__${nameOf(tool)}`]));
  const served = Map.groupBy(
    chosen.map((tool, at) => ({ server: serverOf(at), tool: renderTool(tool, nameOf(tool)) })),
    ({ server }) => server,
  );
  return {
    servers: [...served].map(([name, tools]) => ({ name, tools: tools.map(({ tool }) => tool) })),
    questions: questions.flatMap(({ set, query, gold }) => {
      const found = gold.map((group) => group.flatMap((id) => nameById.get(id) ?? []));
      return found.every((group) => group.length > 0) ? [{ set, query, gold: found }] : [];
    }),
  };
}
