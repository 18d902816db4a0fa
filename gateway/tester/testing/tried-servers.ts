// MCP servers to try, one of each SDK: the same tools, resources and prompts, one era each, over real HTTP. They ask, report and log
// as their tools are called.
import { randomUUID } from "node:crypto";
import { Server as Server2025 } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import * as sdk from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, inputRequired, Server, type ServerContext } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { serveOnLoopback } from "../../../lib/mcp/endpoint.fixture.ts";
import type { Era } from "../../../lib/mcp/table.ts";

export interface TriedServer {
  url: string;
  /** Headers of all requests. */
  seen: Headers[];
  sessions(): number;
  /** Says that a resource changed. */
  change(uri: string): void;
  /** Forgets all sessions (2025). */
  forget(): void;
}

const questionSchema = {
  type: "object" as const,
  properties: { name: { type: "string" as const, maxLength: 10 }, age: { type: "integer" as const } },
  required: ["name"],
};
const asked = { message: "Who are you?", requestedSchema: questionSchema };
const sampled = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "Say hello" } }],
  maxTokens: 10,
};
const toolNames = ["echo", "ask", "ask-aside", "sample", "roots", "steps", "log", "flood", "hang", "huge", "hidden"];
const tools = toolNames.map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object" as const },
  ...(name === "echo" && { outputSchema: { type: "object" as const } }),
}));
const resources = [1, 2, 3].map((at) => ({ uri: `test://${at}`, name: `r${at}` }));
const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  logging: {},
};
const text = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });
const hugeChars = 5 * 1024 * 1024;

/** A page of two. */
const pageOf = (cursor: string | undefined) => {
  const start = Number(cursor ?? 0);
  const next = start + 2;
  return {
    resources: resources.slice(start, next),
    ...(next < resources.length && { nextCursor: String(next) }),
  };
};
const greeting = (name: unknown) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text: `Hello ${String(name)}` } }],
});
const contentsOf = (uri: string) => ({ contents: [{ uri, mimeType: "text/plain", text: `of ${uri}` }] });
const prompts = [{ name: "greet", arguments: [{ name: "name", required: true }] }];
const templates = [{ uriTemplate: "test://{id}", name: "any" }];

export const startTried = (era: Era): Promise<TriedServer> => (era === "2025" ? start2025() : start2026());

function open2025(): Server2025 {
  const server = new Server2025({ name: "tried", version: "1.2.3" }, { capabilities, instructions: "Try me." });
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(sdk.ListResourcesRequestSchema, ({ params }) => pageOf(params?.cursor));
  server.setRequestHandler(sdk.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templates }));
  server.setRequestHandler(sdk.ReadResourceRequestSchema, ({ params }) => contentsOf(params.uri));
  server.setRequestHandler(sdk.SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(sdk.UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(sdk.ListPromptsRequestSchema, () => ({ prompts }));
  server.setRequestHandler(sdk.GetPromptRequestSchema, ({ params }) => greeting(params.arguments?.["name"]));
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params }, { sendRequest, sendNotification, _meta }) => {
    const log = (data: unknown) =>
      sendNotification({ method: "notifications/message", params: { level: "info", data } });
    const progressToken = _meta?.progressToken ?? 0;
    switch (params.name) {
      case "echo":
        return { ...text(params.arguments), structuredContent: params.arguments };
      case "ask":
        return text(await sendRequest({ method: "elicitation/create", params: asked }, sdk.ElicitResultSchema));
      case "ask-aside":
        return text(await server.elicitInput(asked));
      case "sample":
        return text(
          await sendRequest({ method: "sampling/createMessage", params: sampled }, sdk.CreateMessageResultSchema),
        );
      case "roots":
        return text(await sendRequest({ method: "roots/list" }, sdk.ListRootsResultSchema));
      case "steps":
        for (const progress of [1, 2]) {
          const step = { progressToken, progress, total: 2, message: `step ${progress}` };
          await sendNotification({ method: "notifications/progress", params: step });
        }
        return text("done");
      case "log":
        await log("hello \u001B[31m");
        return text("done");
      case "flood":
        for (let at = 0; at < 1_000; at += 1) await log(`${at} ${"x".repeat(2_000)}`);
        return text("done");
      case "huge":
        return text("x".repeat(hugeChars));
      case "hang":
        return await new Promise<never>(() => undefined);
      default:
        throw new sdk.McpError(sdk.ErrorCode.InvalidParams, `no tool ${params.name}`);
    }
  });
  return server;
}

async function start2025(): Promise<TriedServer> {
  const sessions = new Map<string, { server: Server2025; transport: WebStandardStreamableHTTPServerTransport }>();
  const seen: Headers[] = [];
  const app = await serveOnLoopback(async (request) => {
    seen.push(request.headers);
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return await known.transport.handleRequest(request);
    if (request.headers.has("mcp-session-id")) return Response.json({ error: "unknown session" }, { status: 404 });
    const server = open2025();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return await transport.handleRequest(request);
  });
  onTestFinished(() => app.stop());
  return {
    url: app.url,
    seen,
    sessions: () => sessions.size,
    change(uri) {
      for (const { server } of sessions.values()) void server.sendResourceUpdated({ uri });
    },
    forget: () => sessions.clear(),
  };
}

async function call2026(
  { name, arguments: args = {} }: { name: string; arguments?: object | undefined },
  context: ServerContext,
) {
  const { inputResponses, notify, log, _meta } = context.mcpReq;
  const ask = (request: ReturnType<typeof inputRequired.elicit>) =>
    inputResponses === undefined
      ? inputRequired({ inputRequests: { one: request } })
      : text(Reflect.get(inputResponses, "one"));
  switch (name) {
    case "echo":
      return { ...text(args), structuredContent: { ...args } };
    case "ask":
    case "ask-aside":
      return ask(inputRequired.elicit(asked));
    case "sample":
      return ask(inputRequired.createMessage(sampled));
    case "roots":
      return ask(inputRequired.listRoots());
    case "steps":
      for (const progress of [1, 2]) {
        const progressToken = _meta?.progressToken ?? 0;
        const step = { progressToken, progress, total: 2, message: `step ${progress}` };
        await notify({ method: "notifications/progress", params: step });
      }
      return text("done");
    case "log":
      await log("info", "hello \u001B[31m");
      return text("done");
    case "flood":
      for (let at = 0; at < 1_000; at += 1) await log("info", `${at} ${"x".repeat(2_000)}`);
      return text("done");
    case "huge":
      return text("x".repeat(hugeChars));
    default:
      return await new Promise<never>(() => undefined);
  }
}

async function start2026(): Promise<TriedServer> {
  const seen: Headers[] = [];
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "tried", version: "1.2.3" }, { capabilities, instructions: "Try me." });
      server.setRequestHandler("tools/list", () => ({ tools }));
      server.setRequestHandler("resources/list", ({ params }) => pageOf(params?.cursor));
      server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templates }));
      server.setRequestHandler("resources/read", ({ params }) => contentsOf(params.uri));
      server.setRequestHandler("prompts/list", () => ({ prompts }));
      server.setRequestHandler("prompts/get", ({ params }) => greeting(params.arguments?.["name"]));
      server.setRequestHandler("tools/call", ({ params }, context) => call2026(params, context));
      return server;
    },
    { legacy: "reject" },
  );
  const app = await serveOnLoopback((request) => {
    seen.push(request.headers);
    return handler.fetch(request);
  });
  onTestFinished(async () => {
    await handler.close();
    await app.stop();
  });
  return {
    url: app.url,
    seen,
    sessions: () => 0,
    change: (uri) => handler.notify.resourceUpdated(uri),
    forget: () => undefined,
  };
}
