// Whether manifests may start programs here. A folder is data (SEC-8), and a tool server is somebody's program: until its user
// has said once that these folders may, what they name is known and not started. It is remembered beside the state of their runs.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { StateFolder } from "./state-folder.ts";

const pathIn = (stateFolder: string): string => join(stateFolder, "trusted.json");
const fileSchema = z.object({ folders: z.array(z.string()) });

/** @param folders with the manifests, as they were found */
export async function readTrust(stateFolder: string, folders: readonly string[]): Promise<boolean> {
  try {
    const trusted = fileSchema.parse(JSON.parse(await readFile(pathIn(stateFolder), "utf8")));
    return folders.every((folder) => trusted.folders.includes(folder));
  } catch {
    return false; // nobody has said so yet, or not in a way that can be read
  }
}

export const writeTrust = (folder: StateFolder, folders: readonly string[]): Promise<void> =>
  folder.replace(pathIn(folder.path), `${JSON.stringify({ folders })}\n`);
