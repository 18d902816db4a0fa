// `pallas init`: begins a folder of manifests. It writes into an empty folder only, so that nothing of the user's is overwritten.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { reasonOf, UsageError } from "../manifests/find-files.ts";
import type { Terminal } from "../terminal.ts";
import { newFiles } from "./files.ts";

/**
 * Writes an instance, an agent and what a key needs, and says how to go on.
 * @param folder as the user wrote it; made where it is not there
 * @throws UsageError when the folder holds anything, or cannot be written
 */
export async function init(folder: string, terminal: Terminal): Promise<0> {
  const path = resolve(terminal.folder, folder);
  try {
    await mkdir(path, { recursive: true });
    const [first] = (await readdir(path)).filter((name) => name !== ".git");
    if (first !== undefined) {
      throw new UsageError(`${folder} is not empty, it has ${first}: name an empty folder or a new one`);
    }
    for (const [name, text] of newFiles) await writeFile(join(path, name), text, { flag: "wx" });
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${folder} cannot be written (${reasonOf(cause)}); name another folder`, { cause });
  }
  const named = folder === "." ? "" : ` -f ${folder}`;
  terminal.print(`wrote ${[...newFiles.keys()].join(", ")}`);
  terminal.print(`run them with: pallas up${named}`);
  terminal.print("and in another terminal: pallas chat assistant");
  return 0;
}
