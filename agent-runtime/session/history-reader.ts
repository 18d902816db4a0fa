// Parts of a history out of its file: what a model is shown of it, and pages for people. Each is read entry by entry, the newest
// first, with a bound on what is in memory; an image that is no longer kept, or past the bound, becomes a text.
import type { ImageData } from "../model/types.ts";
import { listImages, renderLeftOut, replaceImages, maxShownImageChars } from "./entry-images.ts";
import { readEntry, type HistoryIndex, type IndexedEntry } from "./history-index.ts";
import type { ImageRef, StoredEntry, StoredImage } from "./history-text.ts";
import type { LineReader } from "./line-reader.ts";
import type { HistoryPage, PageRequest } from "./store.ts";
import { findFirstShown, findSummary, listMessages, type HistoryEntry } from "./transcript.ts";

export interface ReadParts {
  lines: LineReader;
  index: HistoryIndex;
  /** Base64; undefined when it is not kept any more. */
  readImage: (image: ImageRef) => Promise<string | undefined>;
}

export interface Shown {
  entries: HistoryEntry[];
  /** Messages before them: what a summary covers counts from there. */
  skipped: number;
}

/** The part that a model is shown any of. */
export async function readShown(parts: ReadParts): Promise<Shown> {
  const { entries } = parts.index;
  const skipped = findFirstShown(entries);
  const summary = findSummary(entries);
  const first = listMessages(entries)[skipped];
  const at = first === undefined ? 0 : entries.indexOf(first);
  const shown = entries.filter((entry, index) => (entry.role === "summary" ? entry === summary : index >= at));
  const read = await readNewestFirst(parts, shown);
  return {
    entries: read.map((entry) => (entry.role === "summary" ? { ...entry, covers: entry.covers - skipped } : entry)),
    skipped,
  };
}

/** How much `readShown` reads, without images that lie in files. */
export function measureShown({ entries }: HistoryIndex): number {
  const messages = listMessages(entries);
  return (entries.at(-1)?.end ?? 0) - (messages[findFirstShown(entries)]?.start ?? 0);
}

async function readNewestFirst(parts: ReadParts, places: readonly IndexedEntry[]): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let leftChars = maxShownImageChars;
  for (const place of places.toReversed()) {
    const entry = await readEntry(parts.lines, place);
    const resolved = await resolveImages(entry, leftChars, parts.readImage);
    leftChars -= listImages(resolved).reduce((sum, { data }) => sum + data.length, 0);
    entries.push(resolved);
  }
  return entries.toReversed();
}

/** What was said, without what passed between the model and its tools. A page has one message, however large that is. */
export async function readPage(parts: ReadParts, { before, messages, bytes }: PageRequest): Promise<HistoryPage> {
  const all = listMessages(parts.index.entries);
  const page: HistoryPage = { messages: [], first: Math.min(before ?? all.length, all.length) };
  for (let leftBytes = bytes; page.first > 0 && page.messages.length < messages; page.first -= 1) {
    const place = all[page.first - 1];
    if (place === undefined || place.role === "tool") continue;
    const entry = await readEntry(parts.lines, place);
    leftBytes -= place.end - place.start + listImages(entry).reduce((sum, image) => sum + countChars(image), 0);
    if (leftBytes < 0 && page.messages.length > 0) break;
    const message = await resolveImages(entry, Infinity, parts.readImage);
    if (message.role !== "summary") page.messages.unshift(message);
  }
  return page;
}

const charsPerByte = 4 / 3;
const countChars = (image: StoredImage) => ("data" in image ? 0 : Math.ceil(image.bytes * charsPerByte));

/** An entry with its images at hand: the last of them, up to `maxChars` of base64. */
export async function resolveImages(
  entry: StoredEntry,
  maxChars: number,
  readImage: ReadParts["readImage"],
): Promise<HistoryEntry> {
  let leftChars = maxChars;
  const found = new Map<StoredImage, ImageData | string>();
  for (const image of listImages(entry).toReversed()) {
    leftChars -= "data" in image ? image.data.length : countChars(image);
    found.set(image, leftChars < 0 ? renderLeftOut("newer ones use up the space") : await resolve(image, readImage));
  }
  return replaceImages(entry, (image) => found.get(image) ?? renderLeftOut("it is not kept any more"));
}

async function resolve(image: StoredImage, readImage: ReadParts["readImage"]): Promise<ImageData | string> {
  if ("data" in image) return { data: image.data, mimeType: image.mimeType };
  const data = await readImage(image);
  return data === undefined ? renderLeftOut("it is not kept any more") : { data, mimeType: image.mimeType };
}
