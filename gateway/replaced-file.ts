// A file of the gateway's own that is read once and then replaced as a whole: a reader sees the old contents or the new ones, and
// nobody but its owner reads it.
import { mkdir, open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Throws where it is longer; undefined where there is none. */
export async function readLimited(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > maxBytes) throw new Error(`expected at most ${maxBytes} bytes in ${path}, found ${size}`);
    return await file.readFile("utf8");
  } catch (error) {
    if (Reflect.get(Object(error), "code") === "ENOENT") return undefined;
    throw error;
  }
}

/** @param durable whether it must be on the disk when this resolves, so that no loss of power brings the old contents back */
export async function replaceFile(path: string, text: string, { durable = false } = {}): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const written = `${path}.new`;
  await writeFile(written, text, { mode: 0o600, flush: durable });
  await rename(written, path);
  if (durable) await syncFolder(dirname(path));
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
