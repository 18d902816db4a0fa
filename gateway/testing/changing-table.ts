// A table with resources that may change and a tool that waits until it is told to end, for tests.
import type { McpTable } from "../../lib/mcp/table.ts";
import { tableOf } from "./served-gateway.ts";

export function listResourcesTable(): { table: McpTable; hear(): void } {
  const told = Promise.withResolvers<void>();
  const wait = {
    name: "wait",
    description: "Answers when it is told to.",
    inputSchema: { type: "object" as const },
    call: async () => {
      await told.promise;
      return { content: [{ type: "text" as const, text: "done" }] };
    },
  };
  const resources = {
    list: () => [{ uri: "resource://agents/list", name: "agents" }],
    templates: () => [],
    read: async (uri: string) => [{ uri, text: "[]" }],
    mayRead: () => true,
    changes: () => () => undefined,
  };
  return { table: { ...tableOf(wait), resources }, hear: () => told.resolve() };
}
