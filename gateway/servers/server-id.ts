// The numbers by which REST clients name servers and tools (DSC-8): stable for as long as the resource is the same one, and the
// same in every process. Pure.
import { createHash } from "node:crypto";
import type { KnownServer } from "../state/servers.ts";

/** What a JavaScript number holds exactly, with room. */
const idBytes = 6;

const digest = (text: string): number => createHash("sha256").update(text).digest().readUIntBE(0, idBytes);

/** A server of the instance's own spec has no uid: its name stands for it, and one of `pallas up` is known by its name too. */
export function idOfServer({ name, resource }: KnownServer): number {
  return digest(resource?.metadata.uid ?? `${resource === undefined ? "inline" : "local"}:${name}`);
}

export const idOfTool = (serverId: number, tool: string): number => digest(`${serverId}:${tool}`);
