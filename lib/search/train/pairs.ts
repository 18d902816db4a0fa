// The training pairs: what somebody asks for, and the tool that does it. pairs.jsonl.gz holds one a line, `{ q, d, src }`;
// README.md says where they are from.
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

export interface Pair {
  readonly query: string;
  readonly tool: string;
  /** Which data set it is from. */
  readonly source: string;
}

const pairsFile = new URL("./pairs.jsonl.gz", import.meta.url);
const lineSchema = z.object({ q: z.string(), d: z.string(), src: z.string() });
const maxBytes = 100_000_000;

export async function readPairs(file: URL = pairsFile): Promise<Pair[]> {
  const lines = gunzipSync(await readFile(file), { maxOutputLength: maxBytes })
    .toString("utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line, at) => parsePair(line, `${file.pathname}:${at + 1}`));
}

function parsePair(line: string, place: string): Pair {
  const { success, data } = lineSchema.safeParse(JSON.parse(line));
  if (!success) throw new Error(`${place}: expected { q, d, src } of texts, found ${line.slice(0, 100)}`);
  return { query: data.q, tool: data.d, source: data.src };
}
