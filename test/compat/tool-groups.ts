// Deals the tools of all servers into groups that one provider takes at once. A server with more tools than fit stands in
// several groups, in each with a part of its tools.
import type { ServedTool } from "./bridge.ts";

export interface ToolsOf {
  readonly name: string;
  readonly url: string;
  readonly tools: readonly ServedTool[];
}

/** Groups of at most `size` tools; none is left out. */
export function dealTools(servers: readonly ToolsOf[], size: number): ToolsOf[][] {
  const groups: ToolsOf[][] = [[]];
  let room = size;
  for (const server of servers) {
    for (let at = 0; at < server.tools.length;) {
      if (room === 0) {
        groups.push([]);
        room = size;
      }
      const tools = server.tools.slice(at, at + room);
      groups.at(-1)?.push({ ...server, tools });
      room -= tools.length;
      at += tools.length;
    }
  }
  return groups;
}
