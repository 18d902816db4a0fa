// Where in its file each entry of a history stands, found without reading the entries: of a message its role is enough, of
// summaries and withdrawals, which are few, all. So a history of any size is opened in little memory, and a call reads from
// where the last summary lets it begin. Nothing of it is stored: there is no offset that a crash could leave wrong.
import type { FileHandle } from "node:fs/promises";
import {
  LineError,
  NewerHistory,
  parseHeader,
  parseLine,
  type HistoryHeader,
  type StoredEntry,
} from "./history-text.ts";
import { createLineReader, type LineReader } from "./line-reader.ts";
import { withdraw, type EntryKind } from "./transcript.ts";

const maxChunkBytes = 256 * 1024;
const lineBreak = 0x0a;
/** Enough for the role, which this program writes first. */
const headChars = 32;
const headPattern = /^\{"role":"(user|assistant|tool)"[,}]/;

interface Place {
  /** From 1. */
  line: number;
  start: number;
  /** Of its line break. */
  end: number;
}

/** An entry that counts. Its role is known, and of a summary what it covers. */
export type IndexedEntry = EntryKind & Place;

export interface HistoryIndex {
  /** Undefined: not even the header is whole. */
  header: HistoryHeader | undefined;
  /** Without what was withdrawn. */
  entries: IndexedEntry[];
  /** Length of what is whole; what follows was cut off while it was written. */
  wholeBytes: number;
}

/** Reads a file from its beginning. Throws LineError or NewerHistory. */
export async function readIndex(file: FileHandle, key: string): Promise<HistoryIndex> {
  const index: HistoryIndex = { header: undefined, entries: [], wholeBytes: 0 };
  const lines = createLineReader(file);
  for await (const { head, ...place } of scanLines(file)) {
    index.wholeBytes = place.end + 1;
    const role = headPattern.exec(head)?.[1];
    if (place.line === 1) index.header = await readLine(lines, place, (bytes) => parseHeader(bytes, key));
    else if (role === "user" || role === "assistant" || role === "tool") index.entries.push({ role, ...place });
    else await addEntry(index.entries, lines, place);
  }
  return index;
}

/** Reads one entry. Throws LineError. */
export async function readEntry(lines: LineReader, place: Place): Promise<StoredEntry> {
  return readLine(lines, place, (bytes) => {
    const entry = parseLine(bytes);
    if (entry === undefined || entry.role === "withdrawn") throw new Error("expected a message or a summary");
    return entry;
  });
}

async function addEntry(entries: IndexedEntry[], lines: LineReader, place: Place): Promise<void> {
  const entry = await readLine(lines, place, parseLine);
  if (entry === undefined) return;
  if (entry.role === "withdrawn") withdraw(entries, entry.messages);
  else if (entry.role === "summary") entries.push({ role: "summary", covers: entry.covers, ...place });
  else entries.push({ role: entry.role, ...place });
}

async function readLine<Result>(
  lines: LineReader,
  { line, start, end }: Place,
  parse: (bytes: Uint8Array) => Result,
): Promise<Result> {
  const bytes = await lines.read(start, end);
  try {
    return parse(bytes);
  } catch (error) {
    throw error instanceof NewerHistory ? error : new LineError(line, error);
  }
}

async function* scanLines(file: FileHandle): AsyncGenerator<Place & { head: string }> {
  const { size } = await file.stat();
  const chunk = Buffer.allocUnsafe(Math.min(maxChunkBytes, size + 1)); // one more: else a full one would be followed by an empty one
  let [line, start, head] = [1, 0, ""];
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    const bytes = chunk.subarray(0, bytesRead);
    for (let from = 0; from < bytesRead;) {
      const found = bytes.indexOf(lineBreak, from);
      const end = found === -1 ? bytesRead : found;
      head += bytes.toString("latin1", from, Math.min(end, from + headChars - head.length));
      from = end + 1;
      if (found === -1) break;
      yield { line, start, end: at + end, head };
      [line, start, head] = [line + 1, at + end + 1, ""];
    }
    at += bytesRead;
  }
}
