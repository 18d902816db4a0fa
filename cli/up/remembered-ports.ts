// The ports that agents had in the last run on the same manifests, so that their URLs stay when others come and go.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { StateFolder } from "./state-folder.ts";

const fileSchema = z.object({ registryPort: z.number(), ports: z.record(z.string(), z.int().min(1).max(65_535)) });

const pathIn = (folder: string): string => join(folder, "ports.json");

/** By key of the agent. Nothing with another port of the registry: agents' ports follow it. */
export async function readPorts(folder: string, registryPort: number): Promise<ReadonlyMap<string, number>> {
  try {
    const found = fileSchema.parse(JSON.parse(await readFile(pathIn(folder), "utf8")));
    return new Map(found.registryPort === registryPort ? Object.entries(found.ports) : []);
  } catch {
    return new Map(); // not there yet, or not ours: ports are assigned anew
  }
}

export const writePorts = (
  folder: StateFolder,
  registryPort: number,
  ports: ReadonlyMap<string, number>,
): Promise<void> =>
  folder.replace(pathIn(folder.path), `${JSON.stringify({ registryPort, ports: Object.fromEntries(ports) })}\n`);
