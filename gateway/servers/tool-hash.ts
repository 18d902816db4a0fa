// The hash of a tool's definition (DSC-12): of everything that a server says of it, whatever the order of keys. Pure.
import { createHash } from "node:crypto";
import { renderCanonical } from "../../lib/kube/canonical.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const hashOfTool = (tool: ToolDescription): string => sha256(renderCanonical(tool));

/** @param hashes of all tools, by name */
export const hashOfTools = (hashes: ReadonlyMap<string, string>): string =>
  sha256(renderCanonical([...hashes].toSorted(([a], [b]) => (a < b ? -1 : 1))));
