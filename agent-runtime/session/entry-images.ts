// The images of entries, one after the other, whatever form they have. Pure. An image that is left out becomes a text in its
// place, so that model and reader know that there was one.
import type { ImageData } from "../model/types.ts";
import type { EntryOf, HistoryEntry } from "./transcript.ts";

/** Base64 that a run keeps in memory and a model is shown; the newest come first. A request is in memory several times over. */
export const maxShownImageChars = 20 * 1024 * 1024;

export function listImages<Image extends object>(entry: EntryOf<Image>): Image[] {
  if (entry.role === "user") return entry.content.flatMap((part) => (part.type === "image" ? [part] : []));
  return entry.role === "tool" ? entry.results.flatMap(({ images }) => images) : [];
}

/** The entry with each image replaced by another form of it, or by a text. */
export function replaceImages<From extends object, To extends object>(
  entry: EntryOf<From>,
  replace: (image: From) => To | string,
): EntryOf<To> {
  if (entry.role === "user") {
    const content = entry.content.map((part) => {
      if (part.type === "text") return part;
      const other = replace(part);
      return typeof other === "string" ? { type: "text" as const, text: other } : { type: "image" as const, ...other };
    });
    return { role: "user", content };
  }
  if (entry.role !== "tool") return entry;
  const results = entry.results.map((result) => {
    const others = result.images.map(replace);
    const notes = others.filter((other) => typeof other === "string");
    const text = [result.text, ...notes].filter((line) => line !== "").join("\n");
    return { ...result, text, images: others.filter((other) => typeof other !== "string") };
  });
  return { role: "tool", results };
}

export const renderLeftOut = (why: string) => `[image left out: ${why}]`;

/** Leaves out the oldest images until the others have at most `maxChars`. The very entries where nothing has to go. */
export function boundImages(entries: readonly HistoryEntry[], maxChars = maxShownImageChars): readonly HistoryEntry[] {
  let leftChars = maxChars;
  const kept = new Set<ImageData>();
  for (const image of entries.flatMap((entry) => listImages(entry)).toReversed()) {
    leftChars -= image.data.length;
    if (leftChars < 0) break;
    kept.add(image);
  }
  const judge = (image: ImageData) => (kept.has(image) ? image : renderLeftOut("newer ones use up the space"));
  return leftChars >= 0 ? entries : entries.map((entry) => replaceImages(entry, judge));
}
