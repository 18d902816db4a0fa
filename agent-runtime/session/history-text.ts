// A history as text: JSON lines, a header and then the entries; images are named by their hash and lie in files of their own.
// Pure: it reads and writes no file. A line that does not fit is refused, except summaries: they stand for what is there anyway.
import * as z from "zod";
import type { ImageData } from "../model/types.ts";
import type { EntryOf, SummaryEntry, WithdrawnEntry } from "./transcript.ts";

/** 1: images are in the lines themselves, and nothing is withdrawn. Read as well. */
export const schemaVersion = 2;

const header = z.object({ schema: z.number(), key: z.string(), createdAt: z.iso.datetime() });
export type HistoryHeader = z.output<typeof header>;

/** An image that lies in a file beside the history. */
export interface ImageRef {
  sha256: string;
  bytes: number;
  mimeType: string;
}

/** As a line has it: a reference, or the image itself, as earlier versions wrote it. */
export type StoredImage = ImageRef | ImageData;
export type StoredEntry = EntryOf<StoredImage>;

const imageRef = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  mimeType: z.string(),
});
const image = z.union([imageRef, z.object({ data: z.string(), mimeType: z.string() })]);
const message: z.ZodType<Exclude<StoredEntry, SummaryEntry>> = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("user"),
    content: z.array(
      z.union([
        z.object({ type: z.literal("text"), text: z.string() }),
        imageRef.extend({ type: z.literal("image") }),
        z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
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
        images: z.array(image),
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
const withdrawn: z.ZodType<WithdrawnEntry> = z.object({
  role: z.literal("withdrawn"),
  messages: z.int().positive(),
  reason: z.string(),
});
const anyRole = z.object({ role: z.string() });

/** Written by a later version of this program: to be left alone, not to be called broken. */
export class NewerHistory extends Error {
  override readonly name = "NewerHistory";
}

/** The first line of a history. */
export const renderHeader = (key: string, createdAtMs: number): string =>
  `${JSON.stringify({ schema: schemaVersion, key, createdAt: new Date(createdAtMs).toISOString() })}\n`;

/** One further line. */
export const renderLine = (entry: StoredEntry | WithdrawnEntry): string => `${JSON.stringify(entry)}\n`;

/** The header of the history of `key`. Throws NewerHistory, or an Error. */
export function parseHeader(bytes: Uint8Array, key: string): HistoryHeader {
  const found = parseAnyHeader(bytes);
  if (found.key !== key) throw new Error("the history belongs to another key");
  return found;
}

/** The header of a history, whosever it is. Throws NewerHistory, or an Error. */
export function parseAnyHeader(bytes: Uint8Array): HistoryHeader {
  const found = header.parse(parseJson(bytes));
  if (found.schema > schemaVersion) {
    throw new NewerHistory(`it has schema ${found.schema}, and this version reads up to ${schemaVersion}`);
  }
  return found;
}

/** Throws when it is none of these; a summary that cannot be read is undefined. */
export function parseLine(bytes: Uint8Array): StoredEntry | WithdrawnEntry | undefined {
  const value = parseJson(bytes);
  const role = anyRole.safeParse(value).data?.role;
  if (role === "summary") return summary.safeParse(value).data;
  return role === "withdrawn" ? withdrawn.parse(value) : message.parse(value);
}

/** A whole line that is none of a history's. */
export class LineError extends Error {
  override readonly name = "LineError";

  /** Without the error's message: zod and JSON.parse quote what they found, and that is somebody's conversation. */
  constructor(line: number, error: unknown) {
    const kind = error instanceof Error ? error.name : "error";
    super(`line ${line} is not a ${line === 1 ? "header" : "message"} (${kind})`, { cause: error });
  }
}

/** A decoder of its own each time: one that has thrown would go on in the middle of a text. */
const parseJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
