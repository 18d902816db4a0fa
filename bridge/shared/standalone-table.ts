// What the server offers to callers of the 2026 era, whose requests stand alone: a table that asks the shared process each time.
// Lists are remembered for a while, until the server says that they changed. Results go on as they came.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { McpExtension } from "../../lib/mcp/extension.ts";
import type { CallContext, McpTable, ResourceSource, ToolEntry, ToolSource } from "../../lib/mcp/table.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { ToolFilter } from "../relay/tool-filter.ts";
import type { Message } from "../stdio/messages.ts";
import { listAll, parseContents, parseResources, parseTemplates, parseTool, parseToolResult } from "./results.ts";
import type { SharedClient } from "./shared-client.ts";
import type { SharedChanges } from "./shared-changes.ts";

/** A server need not say that its tools changed. */
const listTtlMs = 60_000;

export interface StandaloneParts {
  readonly client: SharedClient;
  readonly changes: SharedChanges;
  readonly filter: ToolFilter;
  /** The server's answer to `initialize`. */
  readonly initialized: Message;
  readonly clock: Clock;
}

export interface Standalone {
  readonly table: McpTable;
  readonly extension: McpExtension;
}

export function createStandalone(parts: StandaloneParts): Standalone {
  const { client } = parts;
  const result = isJsonObject(parts.initialized.result) ? parts.initialized.result : {};
  const info = isJsonObject(result["serverInfo"]) ? result["serverInfo"] : {};
  const capabilities = isJsonObject(result["capabilities"]) ? result["capabilities"] : {};
  const { name = "server", version = "0", title } = info;
  const { instructions } = result;
  const table: McpTable = {
    server: { name: String(name), version: String(version), ...(typeof title === "string" && { title }) },
    ...(typeof instructions === "string" && { instructions }),
    tools: isJsonObject(capabilities["tools"]) ? createTools(parts) : { list: () => [], find: () => undefined },
    prompts: [],
    ...(isJsonObject(capabilities["resources"]) && { resources: createResources(parts) }),
  };
  const extension: McpExtension = {
    extend2025: () => undefined,
    extend2026(server) {
      const pass = async (method: string, params: object | undefined) => await client.request(method, { ...params });
      if (isJsonObject(capabilities["prompts"])) {
        server.registerCapabilities({ prompts: {} });
        server.setRequestHandler("prompts/list", async ({ params }) => {
          const { prompts, ...rest } = await pass("prompts/list", params);
          return { ...rest, prompts: Array.isArray(prompts) ? prompts : [] };
        });
        server.setRequestHandler("prompts/get", async ({ params }) => {
          const { messages, ...rest } = await pass("prompts/get", params);
          return { ...rest, messages: Array.isArray(messages) ? messages : [] };
        });
      }
      if (isJsonObject(capabilities["completions"])) {
        server.registerCapabilities({ completions: {} });
        server.setRequestHandler("completion/complete", async ({ params }) => {
          const { completion, ...rest } = await pass("completion/complete", params);
          const { values, ...others } = isJsonObject(completion) ? completion : { values: [] };
          return { ...rest, completion: { ...others, values: Array.isArray(values) ? values : [] } };
        });
      }
    },
  };
  return { table, extension };
}

function createTools({ client, changes, filter, clock }: StandaloneParts): ToolSource {
  let listed: { at: number; tools: Promise<Map<string, ToolEntry>> } | undefined;
  changes.onList("tools", () => (listed = undefined));
  const load = async () => {
    const entries = await listAll(client, "tools/list", "tools");
    const tools = new Map<string, ToolEntry>();
    for (const entry of entries) {
      const tool = parseTool(entry);
      if (tool === undefined || !filter.isOffered(tool.name)) continue;
      tools.set(tool.name, {
        ...tool,
        schemaOf: "stranger",
        call: async (args, context) =>
          parseToolResult(
            await client.request("tools/call", { name: tool.name, arguments: args }, renderOptions(context)),
          ),
      });
    }
    return tools;
  };
  const get = async () => {
    if (listed === undefined || clock.now() - listed.at > listTtlMs) {
      const begun = { at: clock.now(), tools: load() };
      listed = begun;
      begun.tools.catch(() => listed === begun && (listed = undefined));
    }
    return await listed.tools;
  };
  return {
    list: async () => [...(await get()).values()],
    find: async (name) => (await get()).get(name),
    changes: (onChanged) => changes.onList("tools", () => onChanged()),
  };
}

function createResources({ client, changes }: StandaloneParts): ResourceSource {
  return {
    list: async () => parseResources(await listAll(client, "resources/list", "resources")),
    templates: async () => parseTemplates(await listAll(client, "resources/templates/list", "resourceTemplates")),
    read: async (uri, context) =>
      parseContents(await client.request("resources/read", { uri }, renderOptions(context))),
    // The server judges by itself.
    mayRead: () => true,
    follow: (uri) => changes.follow(uri),
    changes(onChange) {
      const stops = [
        changes.onList("resources", () => onChange({ list: true })),
        changes.onUpdated((uri) => onChange({ uri })),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

function renderOptions({ signal, meta, asking, sendProgress }: CallContext) {
  return {
    signal,
    meta,
    ...defined({ ask: asking?.ask }),
    ...(sendProgress && { onProgress: (progress: Parameters<typeof sendProgress>[0]) => void sendProgress(progress) }),
  };
}
