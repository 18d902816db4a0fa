// A history that an earlier version wrote, in the form of this one: its images become files. Entry by entry, so that a file of
// any size fits, and all of it or nothing.
import type { FileHandle } from "node:fs/promises";
import { listImages, replaceImages } from "./entry-images.ts";
import { replaceHistory } from "./history-files.ts";
import { readEntry, type HistoryIndex } from "./history-index.ts";
import { renderHeader, renderLine, type HistoryHeader, type StoredImage } from "./history-text.ts";
import { renderImage, type NewImage } from "./image-files.ts";
import { createLineReader } from "./line-reader.ts";

export interface RenewParts {
  folder: string;
  file: string;
  handle: FileHandle;
  header: HistoryHeader;
  entries: HistoryIndex["entries"];
  /** Resolves once the images are on the disk. */
  keep: (images: readonly NewImage[]) => Promise<void>;
}

/** Resolves with the size of the new file once it is in place. Throws LineError. */
export function renewHistory({ folder, file, handle, header, entries, keep }: RenewParts): Promise<number> {
  return replaceHistory(folder, file, async (draft) => {
    await draft.writeFile(renderHeader(header.key, Date.parse(header.createdAt)));
    const lines = createLineReader(handle);
    for (const place of entries) {
      const entry = await readEntry(lines, place);
      const images = new Map<StoredImage, NewImage>();
      for (const image of listImages(entry)) if ("data" in image) images.set(image, renderImage(image));
      await keep([...images.values()]);
      await draft.writeFile(renderLine(replaceImages(entry, (image) => nameImage(images.get(image) ?? image))));
    }
  });
}

function nameImage(image: StoredImage): StoredImage {
  return "sha256" in image ? { sha256: image.sha256, bytes: image.bytes, mimeType: image.mimeType } : image;
}
