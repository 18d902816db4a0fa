// Tools and requests whose right tools are known, from the files of a folder: `tools-<name>.jsonl`, `queries-dev.jsonl`,
// packed with gzip or not.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

const toolSchema = z.object({
  id: z.string(),
  server: z.string(),
  name: z.string(),
  description: z.string().default(""),
  params: z.array(z.object({ name: z.string(), description: z.string().default("") })).default([]),
  category: z.string().optional(),
  server_description: z.string().optional(),
});
const querySchema = z.object({ set: z.string(), query: z.string(), gold: z.array(z.array(z.string())) });
const maxBytes = 100_000_000;

export type JudgedTool = z.output<typeof toolSchema>;

export interface JudgedQuery {
  readonly set: string;
  readonly query: string;
  readonly right: ReadonlySet<string>;
}

async function readLines<T>(file: string, schema: z.ZodType<T>): Promise<T[]> {
  const bytes = await readFile(file);
  const text = file.endsWith(".gz") ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes;
  const lines = text.toString("utf8").trimEnd().split("\n");
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

/** The catalogues of the folder, one for each file of tools, and the queries to fit by. */
export async function readJudgedData(folder: string) {
  const names = (await readdir(folder)).toSorted();
  const pathOf = (name: string): string => join(folder, name);
  const toolFiles = names.filter((name) => /^tools-.*\.jsonl(?:\.gz)?$/.test(name));
  const queryFile = names.find((name) => /^queries-dev\.jsonl(?:\.gz)?$/.test(name));
  if (queryFile === undefined || toolFiles.length === 0) {
    throw new Error(`${folder}: expected tools-<name>.jsonl and queries-dev.jsonl, found ${names.join(", ")}`);
  }
  const catalogues = await Promise.all(toolFiles.map((name) => readLines(pathOf(name), toolSchema)));
  const lines = await readLines(pathOf(queryFile), querySchema);
  const queries = lines.map(({ set, query, gold }): JudgedQuery => ({ set, query, right: new Set(gold.flat()) }));
  return { catalogues, queries };
}
