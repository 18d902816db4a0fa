// A history as text: JSON lines, a header and then the entries. Pure: it reads and writes no file.
// An append that was cut off leaves a last line without its line break. Anything else that does not fit is refused, except
// summaries: they stand for what is there anyway.
import * as z from "zod";
import type { HistoryEntry, SummaryEntry } from "./transcript.ts";

const schemaVersion = 1;
const lineBreak = 0x0a;

const header = z.object({ schema: z.number(), key: z.string(), createdAt: z.iso.datetime() });

const image = { data: z.string(), mimeType: z.string() };
const message: z.ZodType<Exclude<HistoryEntry, SummaryEntry>> = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("user"),
    content: z.array(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("text"), text: z.string() }),
        z.object({ type: z.literal("image"), ...image }),
      ]),
    ),
  }),
  z.object({
    role: z.literal("assistant"),
    text: z.string(),
    toolCalls: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        // JSON leaves out what is undefined.
        arguments: z.unknown().default({}),
        malformed: z.string().exactOptional(),
      }),
    ),
    opaque: z.unknown().optional(),
    contextTokens: z.number().exactOptional(),
  }),
  z.object({
    role: z.literal("tool"),
    results: z.array(
      z.object({
        callId: z.string(),
        name: z.string(),
        text: z.string(),
        images: z.array(z.object(image)),
        isError: z.boolean(),
      }),
    ),
  }),
]);

const summary: z.ZodType<SummaryEntry> = z.object({
  role: z.literal("summary"),
  covers: z.int().positive(),
  text: z.string().min(1),
});
const anySummary = z.object({ role: z.literal("summary") });

/** Written by a later version of this program: to be left alone, not to be called broken. */
export class NewerHistory extends Error {
  override readonly name = "NewerHistory";
}

export interface ParsedHistory {
  entries: HistoryEntry[];
  /** Length of what is whole, in bytes; what follows was cut off while it was written. 0: not even the header is whole. */
  wholeBytes: number;
}

/** The first line of a history. */
export const renderHeader = (key: string, createdAtMs: number): string =>
  `${JSON.stringify({ schema: schemaVersion, key, createdAt: new Date(createdAtMs).toISOString() })}\n`;

/** One further line. */
export const renderEntry = (entry: HistoryEntry): string => `${JSON.stringify(entry)}\n`;

/** Reads the history of `key`. Throws an Error that names the faulty line, or NewerHistory. */
export function parseHistory(bytes: Uint8Array, key: string): ParsedHistory {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const entries: HistoryEntry[] = [];
  let wholeBytes = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf(lineBreak, wholeBytes);
    if (end === -1) return { entries, wholeBytes };
    try {
      const value: unknown = JSON.parse(decoder.decode(bytes.subarray(wholeBytes, end)));
      if (line === 1) checkHeader(header.parse(value), key);
      else entries.push(...parseEntry(value));
    } catch (error) {
      if (error instanceof NewerHistory) throw error;
      // Not its message: zod and JSON.parse quote what they found, and that is somebody's conversation.
      const kind = error instanceof Error ? error.name : "error";
      throw new Error(`line ${line} is not a ${line === 1 ? "header" : "message"} (${kind})`, { cause: error });
    }
    wholeBytes = end + 1;
  }
}

/** Throws when it is no message; a summary that cannot be read is left out. */
function parseEntry(value: unknown): HistoryEntry[] {
  if (!anySummary.safeParse(value).success) return [message.parse(value)];
  const { data } = summary.safeParse(value);
  return data === undefined ? [] : [data];
}

function checkHeader({ schema, key }: z.output<typeof header>, expectedKey: string): void {
  if (schema > schemaVersion) {
    throw new NewerHistory(`it has schema ${schema}, and this version reads up to ${schemaVersion}`);
  }
  if (key !== expectedKey) throw new Error("the history belongs to another key");
}
