// The images of histories as files: `{hash of the key}.images/{hash of the bytes}`, so that an image that is sent twice is kept
// once, and goes with its history. An image under its name is whole: it is written under another one first. Those of one
// history have a bound, past which its oldest go; whoever finds one missing says so and goes on.
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ImageData } from "../model/types.ts";
import { prepareFolder, syncFolder, writeDurably } from "./history-files.ts";
import type { ImageRef } from "./history-text.ts";

const folderPattern = /^([0-9a-f]{64})\.images$/;
const filePattern = /^[0-9a-f]{64}$/;

/** An image on its way to a file. */
export interface NewImage extends ImageRef {
  content: Buffer;
}

/** How an image is named, and its bytes. */
export function renderImage({ data, mimeType }: ImageData): NewImage {
  const content = Buffer.from(data, "base64");
  return { sha256: createHash("sha256").update(content).digest("hex"), bytes: content.length, mimeType, content };
}

export class ImageFiles {
  readonly #folder: string;
  /** Of one history. */
  readonly #maxBytes: number;
  /** Sizes of a history's images by their names, the oldest first. */
  readonly #known: Map<string, Map<string, number>>;

  private constructor(folder: string, maxBytes: number, known: Map<string, Map<string, number>>) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#known = known;
  }

  /** Looks at names, sizes and times only, and removes images whose history is none of `names`. */
  static async open(folder: string, maxBytes: number, names: ReadonlySet<string>): Promise<ImageFiles> {
    const known = new Map<string, Map<string, number>>();
    for (const file of await readdir(folder)) {
      const name = folderPattern.exec(file)?.[1];
      if (name === undefined) continue;
      if (names.has(name)) known.set(name, await listImages(join(folder, file)));
      else await rm(join(folder, file), { recursive: true, force: true });
    }
    return new ImageFiles(folder, maxBytes, known);
  }

  /** Of all images of a history. */
  bytesOf(name: string): number {
    return [...(this.#known.get(name)?.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** How much would be added; the same image twice is one. */
  countNew(name: string, images: readonly ImageRef[]): number {
    const known = this.#known.get(name);
    const fresh = new Map(images.map(({ sha256, bytes }) => [sha256, bytes]));
    return [...fresh].reduce((sum, [sha256, bytes]) => (known?.has(sha256) === true ? sum : sum + bytes), 0);
  }

  /** Resolves once all of them are on the disk. The history's oldest others make room for them. */
  async write(name: string, images: readonly NewImage[]): Promise<void> {
    if (images.length === 0) return;
    const folder = this.#pathOf(name);
    const known = this.#known.get(name) ?? new Map<string, number>();
    if (!this.#known.has(name)) {
      await prepareFolder(folder);
      await syncFolder(this.#folder);
      this.#known.set(name, known);
    }
    for (const { sha256, bytes, content } of images) {
      if (!known.has(sha256)) {
        await writeDurably(join(folder, "draft"), content);
        await rename(join(folder, "draft"), join(folder, sha256));
      }
      known.delete(sha256);
      known.set(sha256, bytes);
    }
    await syncFolder(folder);
    await this.#makeRoom(name, known, new Set(images.map(({ sha256 }) => sha256)));
  }

  /** As base64; undefined when it is not kept any more. */
  async read(name: string, { sha256 }: ImageRef): Promise<string | undefined> {
    if (this.#known.get(name)?.has(sha256) !== true) return undefined;
    return (await readFile(join(this.#pathOf(name), sha256))).toString("base64");
  }

  async remove(name: string): Promise<void> {
    await rm(this.#pathOf(name), { recursive: true, force: true });
    this.#known.delete(name);
  }

  /** Keeps them under a name that nothing reads, beside the history of that name. */
  async putAside(name: string, keptAs: string): Promise<void> {
    if (this.#known.delete(name)) await rename(this.#pathOf(name), join(this.#folder, `${keptAs}.images`));
  }

  async #makeRoom(name: string, known: Map<string, number>, needed: ReadonlySet<string>): Promise<void> {
    let extraBytes = this.bytesOf(name) - this.#maxBytes;
    for (const [sha256, bytes] of known) {
      if (extraBytes <= 0) return;
      if (needed.has(sha256)) continue;
      await rm(join(this.#pathOf(name), sha256), { force: true });
      known.delete(sha256);
      extraBytes -= bytes;
    }
  }

  readonly #pathOf = (name: string) => join(this.#folder, `${name}.images`);
}

async function listImages(folder: string): Promise<Map<string, number>> {
  const names = (await readdir(folder)).filter((file) => filePattern.test(file));
  const looks = names.map(async (sha256) => ({ sha256, status: await lstat(join(folder, sha256)) }));
  const found = (await Promise.all(looks)).toSorted((a, b) => a.status.mtimeMs - b.status.mtimeMs);
  return new Map(found.map(({ sha256, status }) => [sha256, status.size]));
}
