// The ports that agents and tool servers had in the last run on the same manifests, so that their URLs stay when others come and go.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { StateFolder } from "./state-folder.ts";

const portsByKey = z.record(z.string(), z.int().min(1).max(65_535));
const fileSchema = z.object({ registryPort: z.number(), ports: portsByKey, servers: portsByKey.default({}) });

export interface RememberedPorts {
  /** Of agents. */
  ports: ReadonlyMap<string, number>;
  /** Of the bridges of tool servers. */
  servers: ReadonlyMap<string, number>;
}

const pathIn = (folder: string): string => join(folder, "ports.json");

/** By key. Nothing with another port of the registry: all others follow it. */
export async function readPorts(folder: string, registryPort: number): Promise<RememberedPorts> {
  const nothing: RememberedPorts = { ports: new Map(), servers: new Map() };
  try {
    const found = fileSchema.parse(JSON.parse(await readFile(pathIn(folder), "utf8")));
    if (found.registryPort !== registryPort) return nothing;
    return { ports: new Map(Object.entries(found.ports)), servers: new Map(Object.entries(found.servers)) };
  } catch {
    return nothing; // not there yet, or not ours: ports are assigned anew
  }
}

export function writePorts(folder: StateFolder, registryPort: number, found: RememberedPorts): Promise<void> {
  const ports = Object.fromEntries(found.ports);
  const servers = Object.fromEntries(found.servers);
  return folder.replace(pathIn(folder.path), `${JSON.stringify({ registryPort, ports, servers })}\n`);
}
