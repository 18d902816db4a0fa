// What users of an MCP server ask it, over a connection in whichever era it speaks. It never reconnects by itself and shares
// nothing with other connections, so that a token given to one cannot be seen on another (BRR-2).
import type { CallToolResult } from "@modelcontextprotocol/client";
import { defined } from "../process/defined.ts";
import { isJsonObject } from "./json-rpc.ts";
import { openConnection, type CallOptions, type ConnectOptions, type OpenConnection } from "./open-connection.ts";
import { callWithAnswers } from "./questions.ts";
import { findSchemaProblem } from "./schema-check.ts";
import { listResources, readResource, type ResourceLists } from "./client-resources.ts";
import { followResources, type FollowedResources, type HeardChange } from "./resource-changes.ts";
import { redactFailure } from "./sent-headers.ts";
import { followToolChanges } from "./tool-changes.ts";
import type { Era, JsonObjectSchema, PromptResult, ToolAnnotations, ToolResult } from "./table.ts";

/** A tool's result with what is wrong with it, if it is not what the tool's output schema promises. */
export interface CallResult extends ToolResult {
  schemaProblem?: string;
}

export interface ToolDescription {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: JsonObjectSchema;
  outputSchema?: Readonly<Record<string, unknown>> | undefined;
  annotations?: ToolAnnotations | undefined;
}

/** Every method rejects with `McpError` only. */
export interface McpConnection {
  readonly era: Era;
  /** What the server says of its use, as it was when connecting. */
  readonly instructions: string | undefined;
  /** Whether the server offers resources at all. */
  readonly hasResources: boolean;
  /** All pages, within half a minute where nothing else is said. */
  listTools(signal: AbortSignal, timeoutMs?: number): Promise<ToolDescription[]>;
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  getPrompt(name: string, args: Record<string, string>, options: CallOptions): Promise<PromptResult>;
  /** All pages of resources and of templates. */
  listResources(options: CallOptions): Promise<ResourceLists>;
  /** A resource's parts, in the form of a tool's result. */
  readResource(uri: string, options: CallOptions): Promise<ToolResult>;
  /** Assign it to hear when the server says that its tools changed. */
  onToolsChanged?: () => void;
  /** Assign it to hear when followed resources, or their list, change. */
  onResourceChange?: (change: HeardChange) => void;
  /** Hears of these resources, in place of those before. */
  followResources(uris: readonly string[]): void;
  /** Ends the session with DELETE (errors ignored, at most 2 s) and drops all connections; running calls fail as cancelled. */
  close(): Promise<void>;
}

const listTimeoutMs = 30_000;

/** Connects to the server at `url`. Rejects with `McpError`; nothing is left open then. */
export const connectMcp = async (options: ConnectOptions): Promise<McpConnection> =>
  createConnection(await openConnection(options));

function createConnection(open: OpenConnection): McpConnection {
  const { url, client, outputSchemas, sent, closing, run } = open;
  let followed: FollowedResources | undefined;
  const connection: McpConnection = {
    era: client.getProtocolEra() === "modern" ? "2026" : "2025",
    instructions: client.getInstructions(),
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    async listTools(signal, timeoutMs = listTimeoutMs) {
      return await run({ signal, idleTimeoutMs: timeoutMs }, async ({ signal: listSignal, timeout, headers }) => {
        // The SDK would print a line to standard output for a server without tools.
        if (client.getServerCapabilities()?.tools === undefined) return [];
        const listing = { signal: listSignal, timeout, headers, cacheMode: "refresh" } as const;
        const { tools } = await client.listTools(undefined, listing);
        return tools.map((tool) => ({ ...tool, ...defined({ outputSchema: outputSchemas.get(tool.name) }) }));
      });
    },
    callTool: (name, args, options) =>
      run(options, async (sdkOptions, call) => {
        const told = { ...options.meta, ...options.trace };
        const meta = Object.keys(told).length === 0 ? {} : { _meta: told };
        const request = (answers: object) =>
          client.callTool({ name, arguments: args, ...meta, ...answers }, { ...sdkOptions, ...call?.options });
        const result = await (call === undefined ? request({}) : callWithAnswers(request, call, url));
        return redactFailure(readToolResult(result, outputSchemas.get(name)), sent);
      }),
    getPrompt: (name, args, options) =>
      run(options, async (sdkOptions) => {
        const { description, messages } = await client.getPrompt({ name, arguments: args }, sdkOptions);
        return { ...defined({ description }), messages };
      }),
    listResources: (options) => run(options, (sdkOptions) => listResources(client, sdkOptions)),
    readResource: (uri, options) =>
      run(options, (sdkOptions) => readResource(client, { uri, trace: options.trace }, sdkOptions)),
    followResources(uris) {
      followed ??= followResources(client, closing, (change) => connection.onResourceChange?.(change));
      followed.follow(uris);
    },
    close: open.close,
  };
  followToolChanges(client, closing, () => connection.onToolsChanged?.());
  return connection;
}

function readToolResult(
  { content, isError, structuredContent, _meta }: CallToolResult,
  outputSchema: Record<string, unknown> | undefined,
): CallResult {
  const structured = isJsonObject(structuredContent) ? structuredContent : undefined;
  const schemaProblem = isError === true ? undefined : findOutputProblem(structured, outputSchema);
  return {
    content,
    ...defined({ isError, structuredContent: structured, meta: _meta, schemaProblem }),
  };
}

/** The tool has run, and what it says is of use all the same: a result that breaks its promise is passed on with a note. */
function findOutputProblem(
  structured: Record<string, unknown> | undefined,
  schema: Record<string, unknown> | undefined,
): string | undefined {
  if (schema === undefined) return undefined;
  if (structured !== undefined) return findSchemaProblem(schema, structured, "the structured content");
  return schema["type"] === "object" ? "the structured content is missing" : undefined;
}
