// Runs the calls of one table, the same for both eras: look-up, argument check, context, progress, and what becomes of a throw.
// The eras' servers translate the wire to `Inbound` and back; they decide nothing about tools.
import { defined } from "../process/defined.ts";
import type { Logger } from "../process/log.ts";
import type { Asking } from "./asking.ts";
import { withoutNulls } from "./arguments.ts";
import { JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { cutPage } from "./list-pages.ts";
import { createResourceCalls, type ResourceCalls } from "./resource-calls.ts";
import { findSchemaProblem, ofOurOwn, ofStrangers } from "./schema-check.ts";
import {
  type CallContext,
  type Era,
  indexByName,
  type McpTable,
  type Progress,
  type PromptEntry,
  type PromptResult,
  type Requester,
  type SubscribeContext,
  type ToolEntry,
  type ToolResult,
} from "./table.ts";
import { withTraceOfHeaders } from "./trace-context.ts";

/** One call as an era's server received it. */
export interface Inbound extends Requester {
  era: Era;
  requestId: string | number;
  signal: AbortSignal;
  /** The Authorization header of the HTTP request that carries this call. */
  authorization: string | null | undefined;
  meta: Record<string, unknown> | undefined;
  /** A header of the HTTP request that carries this call. */
  readHeader(name: string): unknown;
  /** Asks the caller on the call's own stream. */
  asking?: Asking | undefined;
  /** Sends one progress notification on the call's own stream. */
  notifyProgress(params: ProgressParams): Promise<void>;
}

export interface ProgressParams {
  progressToken: string | number;
  progress: number;
  total?: number;
  message?: string;
  _meta?: Record<string, unknown>;
}

export interface ListedTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: ToolEntry["inputSchema"];
  outputSchema?: NonNullable<ToolEntry["outputSchema"]>;
  annotations?: NonNullable<ToolEntry["annotations"]>;
  icons?: NonNullable<ToolEntry["icons"]>;
  _meta?: Record<string, unknown>;
}

export type ListedPrompt = Omit<PromptEntry, "get">;

/** One page of a list, in the form of its result. */
type Listed<Name extends string, T> = Record<Name, T[]> & { nextCursor?: string };

export interface Dispatcher {
  readonly prompts: ListedPrompt[];
  listTools(cursor: string | undefined, requester: Requester): Promise<Listed<"tools", ListedTool>>;
  callTool(name: string, args: Record<string, unknown>, inbound: Inbound): Promise<ToolResult>;
  getPrompt(name: string, args: Record<string, string>, inbound: Inbound): Promise<PromptResult>;
  /** Absent where the table has no resources. */
  readonly resources?: Omit<ResourceCalls, "read"> & {
    read(uri: string, inbound: Inbound): ReturnType<ResourceCalls["read"]>;
  };
}

/** Prepares a table for serving. Throws when a prompt's name occurs twice. */
export function createDispatcher(table: McpTable, log: Logger): Dispatcher {
  const prompts = indexByName("prompt", table.prompts);
  const resources = table.resources && createResourceCalls(table.resources);
  return {
    ...(resources !== undefined && {
      resources: {
        ...resources,
        read: (uri, inbound) => readGuarded(resources, uri, inbound, log),
        maySubscribe: (uri, context) => subscribeGuarded(resources, uri, context, log),
      },
    }),
    prompts: table.prompts.map(renderPrompt),
    async listTools(cursor, requester) {
      const { entries, ...next } = cutPage(await table.tools.list(requester), ({ name }) => name, cursor);
      return { tools: entries.map(renderTool), ...next };
    },
    async callTool(name, args, inbound) {
      const tool = await table.tools.find(name, inbound);
      if (tool === undefined) throw new JsonRpcError(rpcCodes.invalidParams, `Unknown tool: ${cut(name)}`);
      const given = withoutNulls(tool.inputSchema, args);
      const bounds = tool.schemaOf === "stranger" ? ofStrangers : ofOurOwn;
      const problem = findSchemaProblem(tool.inputSchema, given, "the arguments", bounds);
      if (problem !== undefined) return renderToolError(`Invalid arguments for ${name}: ${problem}.`);
      return await callGuarded(tool, given, inbound, log);
    },
    async getPrompt(name, args, inbound) {
      const prompt = prompts.get(name);
      if (prompt === undefined) throw new JsonRpcError(rpcCodes.invalidParams, `Unknown prompt: ${cut(name)}`);
      const missing = prompt.arguments?.find(
        (argument) => argument.required === true && args[argument.name] === undefined,
      );
      if (missing !== undefined) {
        throw new JsonRpcError(rpcCodes.invalidParams, `Invalid arguments for ${name}: "${missing.name}" is required.`);
      }
      return await getGuarded(prompt, args, inbound, log);
    },
  };
}

async function callGuarded(tool: ToolEntry, args: Record<string, unknown>, inbound: Inbound, log: Logger) {
  const { context, end } = openContext(inbound, log);
  try {
    return await tool.call(args, context);
  } catch (error) {
    if (error instanceof JsonRpcError) throw error;
    if (!inbound.signal.aborted) {
      log.error({ tool: tool.name, requestId: context.requestId, err: error }, "tool handler threw");
    }
    return renderToolError(`${tool.name} failed because of an internal error; the server's log has the details.`);
  } finally {
    end();
  }
}

async function getGuarded(prompt: PromptEntry, args: Record<string, string>, inbound: Inbound, log: Logger) {
  const { context, end } = openContext(inbound, log);
  try {
    return await prompt.get(args, context);
  } catch (error) {
    if (error instanceof JsonRpcError) throw error;
    log.error({ prompt: prompt.name, requestId: context.requestId, err: error }, "prompt handler threw");
    const text = `${prompt.name} failed because of an internal error; the server's log has the details.`;
    throw new JsonRpcError(rpcCodes.internalError, text, { cause: error });
  } finally {
    end();
  }
}

async function readGuarded(resources: ResourceCalls, uri: string, inbound: Inbound, log: Logger) {
  const { context, end } = openContext(inbound, log);
  try {
    return await resources.read(uri, context);
  } catch (error) {
    if (error instanceof JsonRpcError) throw error;
    log.error({ resource: cut(uri), requestId: context.requestId, err: error }, "resource handler threw");
    const text = "the resource cannot be read because of an internal error; the server's log has the details.";
    throw new JsonRpcError(rpcCodes.internalError, text, { cause: error });
  } finally {
    end();
  }
}

async function subscribeGuarded(resources: ResourceCalls, uri: string, context: SubscribeContext, log: Logger) {
  try {
    return await resources.maySubscribe(uri, context);
  } catch (error) {
    if (error instanceof JsonRpcError) throw error;
    if (!context.signal.aborted) log.error({ resource: cut(uri), err: error }, "subscription handler threw");
    const text = "the resource cannot be subscribed to because of an internal error; the server's log has the details.";
    throw new JsonRpcError(rpcCodes.internalError, text, { cause: error });
  }
}

/** The handler's context; after `end()` its progress goes nowhere, so that none follows the result (PRG-1). */
function openContext(inbound: Inbound, log: Logger): { context: CallContext; end(): void } {
  let ended = false;
  const meta = withTraceOfHeaders(inbound.meta ?? {}, inbound.readHeader);
  const context: CallContext = {
    era: inbound.era,
    requestId: String(inbound.requestId),
    signal: inbound.signal,
    caller: inbound.caller,
    meta,
  };
  const bearer = parseBearer(inbound.authorization);
  if (bearer !== undefined) context.bearer = bearer;
  if (inbound.sessionId !== undefined) context.sessionId = inbound.sessionId;
  if (inbound.asking !== undefined) context.asking = inbound.asking;
  const progressToken = meta["progressToken"];
  if (typeof progressToken === "string" || typeof progressToken === "number") {
    context.sendProgress = async (progress) => {
      if (ended || inbound.signal.aborted) return;
      try {
        await inbound.notifyProgress(renderProgress(progressToken, progress));
      } catch (error) {
        log.debug({ requestId: context.requestId, err: error }, "progress could not be sent");
      }
    };
  }
  return { context, end: () => (ended = true) };
}

function renderProgress(progressToken: string | number, { progress, total, message, meta }: Progress): ProgressParams {
  return {
    progressToken,
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
    ...defined({ _meta: meta }),
  };
}

function parseBearer(authorization: string | null | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
}

function renderToolError(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function renderTool(tool: ToolEntry): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, meta } = tool;
  return {
    name,
    ...defined({ title }),
    description,
    inputSchema,
    ...defined({ outputSchema, annotations, icons, _meta: meta }),
  };
}

function renderPrompt({ name, title, description, arguments: args }: PromptEntry): ListedPrompt {
  return {
    name,
    ...defined({ title, description, arguments: args }),
  };
}

function cut(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name;
}
