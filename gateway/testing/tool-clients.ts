// The SDKs' clients under one interface, for tests of tools that come and go: what they list, call and hear, in both eras.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Progress } from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";

export interface ToolCallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface ToolClient {
  /** How often it heard that the list of tools changed. */
  heard(): number;
  list(): Promise<string[]>;
  call(tool: string, args?: Record<string, unknown>, options?: ToolCallOptions): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface ToolAnswer {
  content: unknown;
  structuredContent: Record<string, unknown> | undefined;
  isError: boolean;
}

const info = { name: "test-client", version: "1.0.0" };
const asAnswer = (result: object): ToolAnswer => {
  const structured: unknown = Reflect.get(result, "structuredContent");
  return {
    content: Reflect.get(result, "content"),
    structuredContent: structured === undefined ? undefined : JSON.parse(JSON.stringify(structured)),
    isError: Reflect.get(result, "isError") === true,
  };
};

export async function connect2025(url: string, headers: Record<string, string>): Promise<ToolClient> {
  const client = new Client1(info);
  let heard = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (heard += 1));
  await client.connect(new Transport1(new URL(url), { requestInit: { headers } }));
  return {
    heard: () => heard,
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}, { signal, onProgress } = {}) {
      const options = defined({ signal, onprogress: onProgress });
      return asAnswer(await client.callTool({ name, arguments: args }, undefined, options));
    },
    close: () => client.close(),
  };
}

export async function connect2026(url: string, headers: Record<string, string>): Promise<ToolClient> {
  const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  let heard = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void (heard += 1));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  await client.listen({ toolsListChanged: true });
  return {
    heard: () => heard,
    list: async () => (await client.listTools(undefined, { cacheMode: "bypass" })).tools.map(({ name }) => name),
    async call(name, args = {}, { signal, onProgress } = {}) {
      return asAnswer(await client.callTool({ name, arguments: args }, defined({ signal, onprogress: onProgress })));
    },
    close: () => client.close(),
  };
}

export const toolClients = [
  { era: "2025", connect: connect2025 },
  { era: "2026", connect: connect2026 },
] as const;
