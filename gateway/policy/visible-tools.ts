// The tools of a server that a caller may be shown: without those of which the policy denies this caller every call. Pure.
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import type { ServerEntry } from "../servers/entry.ts";
import type { Hides } from "./gateway-policy.ts";
import { readHints } from "../../lib/approvals/called-tool.ts";

export const visibleTools = (
  { name, tools = [] }: Pick<ServerEntry, "name" | "tools">,
  hides: Hides,
): readonly ToolDescription[] => tools.filter((tool) => !hides(name, tool.name, () => readHints(tool)));
