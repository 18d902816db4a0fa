// REST of the instance's tool servers (DSC-8), in the words and shapes of the interface it comes from: every route with its role. What is
// done stands in servers/; here requests become calls of it, and what comes back becomes answers.
import { Hono, type Context } from "hono";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { createActivation, writable } from "../servers/activation.ts";
import type { CallLog, LogEntry } from "../servers/call-log.ts";
import type { ServerEntry } from "../servers/entry.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import { seesServer } from "../management/access.ts";
import type { WritesFor } from "../state/state.ts";
import { needs, notFound, readObject, renderError, RestError, wrongField } from "./answers.ts";
import type { Browser } from "../discovery/browse/browser.ts";
import { createBrowseRoute } from "./browse-route.ts";
import { openApiPath } from "./described-route.ts";
import { renderOpenApi } from "./document.ts";
import { suggestTools } from "./did-you-mean.ts";
import { matchesQuery, readPage } from "./query.ts";
import { postBody, putBody, readBody } from "./server-body.ts";
import { renderLogEntry, renderServer, renderSingle } from "./server-view.ts";
import type { Tester } from "../tester/tester.ts";
import type { ServerWrites } from "./server-writes.ts";

export interface RestParts {
  /** Calls in the caller's own session, where what a server asks is answered by hand. Default: over the gateway's links. */
  callTool?: Tester["callTool"] | undefined;
  servers: ToolServers;
  calls: CallLog;
  writesFor: WritesFor;
  serverWrites: ServerWrites;
  browser: Browser;
  /** What a server's command may be, here. */
  observePrereqs: () => Promise<Record<"npx" | "uvx" | "docker" | "uv", boolean>>;
  version: string;
  log: Logger;
  clock: Clock;
}

type Ctx = Context<GatewayRoutes>;

export function createRestApp(parts: RestParts): Hono<GatewayRoutes> {
  const { clock, version } = parts;
  const startedAt = clock.now();
  const app = new Hono<GatewayRoutes>();
  app.onError(renderError);
  app.get("/health", needs("viewer"), (c) => {
    const uptime = Math.floor((clock.now() - startedAt) / 1000);
    return c.json({ status: "ok", version, uptime });
  });
  app.get(openApiPath, needs("viewer"), (c) => c.json(renderOpenApi(version)));
  app.get("/api/prereqs", needs("viewer"), async (c) => c.json(await parts.observePrereqs()));
  addServerRoutes(app, parts);
  addActions(app, parts);
  addPins(app, parts);
  addMetrics(app, parts);
  addLogs(app, parts);
  addWhatIsNotHere(app, parts);
  app.route("/", createBrowseRoute(parts.browser));
  return app;
}

/** The server that the path names, where the caller sees it. */
function serverOf(c: Ctx, { servers }: Pick<RestParts, "servers">): ServerEntry {
  const id = c.req.param("id") ?? "";
  const found = servers.find(id, c.get("caller"));
  if (found === undefined) throw notFound(id);
  return found;
}

function addServerRoutes(app: Hono<GatewayRoutes>, parts: RestParts): void {
  const { servers, serverWrites } = parts;
  app.get("/api/servers", needs("viewer"), (c) => {
    const { query = "", source, installed } = c.req.query();
    const found = servers
      .list(c.get("caller"))
      .filter((server) => matchesQuery(server, query))
      .map(renderServer)
      .filter((each) => (source === undefined || each.source === source) && (installed !== "true" || each.installed));
    return c.json(found);
  });
  app.get("/api/servers/:id", needs("viewer"), (c) => c.json(renderSingle(serverOf(c, parts))));
  app.post("/api/servers", needs("admin"), async (c) => {
    const body = readBody(postBody, await readObject(c.req.raw));
    const name = await serverWrites.create(body, c.get("caller"));
    return c.json(renderServer(known(servers, name, c)), 201);
  });
  app.put("/api/servers/:id", needs("admin"), async (c) => {
    const server = serverOf(c, parts);
    const body = readBody(putBody, await readObject(c.req.raw));
    const name = await serverWrites.change(server, body, c.get("caller"));
    return c.json(renderServer(known(servers, name, c)));
  });
  app.delete("/api/servers/:id", needs("admin"), async (c) => {
    const server = serverOf(c, parts);
    // What runs of it goes with its resource.
    await parts.writesFor(c.get("caller")).servers.delete(writable(server));
    return c.json({ status: "deleted" });
  });
}

/** What was written is known by now, unless the watch is broken. */
function known(servers: ToolServers, name: string, c: Ctx): ServerEntry {
  const found = servers.find(name, c.get("caller"));
  if (found !== undefined) return found;
  throw new RestError(503, "not_seen_yet", `server "${name}" was written, and is not seen yet: look in a moment`);
}

function addActions(app: Hono<GatewayRoutes>, parts: RestParts): void {
  const { servers, writesFor, callTool, clock } = parts;
  const activation = createActivation({ servers, clock });
  app.post("/api/servers/:id/activate", needs("operator"), async (c) => {
    const server = serverOf(c, parts);
    if (server.refusal !== undefined) throw new RestError(400, "not_accepted", server.refusal);
    const status = await activation.activate(server, writesFor(c.get("caller")));
    return c.json({ status, tool_count: server.tools?.length ?? 0 });
  });
  app.post("/api/servers/:id/deactivate", needs("operator"), async (c) => {
    return c.json({ status: await activation.deactivate(serverOf(c, parts), writesFor(c.get("caller"))) });
  });
  app.post("/api/servers/:id/health", needs("operator"), async (c) => {
    const server = serverOf(c, parts);
    const { status, latencyMs, error } = await activation.check(server, writesFor(c.get("caller")));
    return c.json({ status, latency_ms: latencyMs, ...(error !== undefined && { error }) });
  });
  app.post("/api/servers/:id/reset-errors", needs("operator"), (c) => {
    serverOf(c, parts).resetErrors();
    return c.json({ status: "reset" });
  });
  app.post("/api/servers/:id/call", needs("caller"), async (c) => {
    const server = serverOf(c, parts);
    const { tool, args = {} } = await readObject(c.req.raw);
    if (typeof tool !== "string" || tool === "") throw wrongField("tool", "expected the name of a tool");
    if (!isJsonObject(args)) throw wrongField("args", "expected an object");
    if (!server.isActive) {
      throw new RestError(409, "not_active", `server "${server.name}" is not active: activate it first`);
    }
    const tools = server.tools;
    if (tools !== undefined && !tools.some(({ name }) => name === tool)) {
      const more = { did_you_mean: suggestTools(tool, tools) };
      throw new RestError(404, "unknown_tool", `server "${server.name}" offers no such tool`, more);
    }
    try {
      const { signal } = c.req.raw;
      const asked = { tool, args, caller: c.get("caller"), signal };
      const authorization = c.req.header("authorization");
      const { content, isError, structuredContent, meta } = await servers.call({
        ...asked,
        server,
        run: callTool && ((idleTimeoutMs) => callTool({ ...asked, server: server.name, authorization, idleTimeoutMs })),
      });
      return c.json({
        content,
        ...(isError !== undefined && { isError }),
        ...(structuredContent && { structuredContent }),
        ...(meta && { _meta: meta }),
      });
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const status = error.kind === "timeout" ? 504 : 502;
      throw new RestError(status, error.kind.replaceAll("-", "_"), error.tell(), {
        did_you_mean: suggestTools(tool, tools ?? []),
      });
    }
  });
}

function addPins(app: Hono<GatewayRoutes>, { servers, log }: RestParts): void {
  app.get("/api/servers/:id/pins", needs("viewer"), (c) => {
    const { pins } = serverOf(c, { servers });
    const changes = pins.differences().map(({ tool, change, pinnedHash, hash, fields }) => ({
      tool,
      change,
      pinned_hash: pinnedHash ?? null,
      hash: hash ?? null,
      fields: fields ?? null,
    }));
    return c.json({ mode: pins.mode, tools_hash: pins.toolsHash, pinned: pins.pinned?.length ?? 0, changes });
  });
  app.post("/api/servers/:id/pins/approve", needs("approver"), async (c) => {
    const server = serverOf(c, { servers });
    const { tools_hash: hash } = await readObject(c.req.raw);
    if (typeof hash !== "string") {
      throw wrongField("tools_hash", "expected the tools_hash of GET pins, which was looked at");
    }
    const tools = server.pins.changed;
    if (!server.approve(hash)) {
      throw new RestError(409, "conflict", "the tools are others by now: look at the difference again");
    }
    log.info({ server: server.name, tools, subject: c.get("caller").subject }, "tools approved");
    return c.json({ status: "approved", tools });
  });
}

function addMetrics(app: Hono<GatewayRoutes>, parts: RestParts): void {
  const { servers } = parts;
  app.get("/api/servers/:id/metrics", needs("viewer"), (c) =>
    c.json(
      servers.metersOf(serverOf(c, parts).name).map(({ tool, calls, errors, averageMs, lastCalledAt }) => ({
        tool_name: tool,
        call_count: calls,
        error_count: errors,
        avg_latency_ms: Math.round(averageMs),
        last_called_at: lastCalledAt,
      })),
    ),
  );
  app.get("/api/metrics", needs("viewer"), (c) =>
    c.json(
      servers.list(c.get("caller")).flatMap(({ name }) => {
        const meters = servers.metersOf(name);
        const sum = (of: (meter: (typeof meters)[number]) => number) => meters.reduce((all, each) => all + of(each), 0);
        const calls = sum((each) => each.calls);
        if (calls === 0) return [];
        const averageMs = sum((each) => each.averageMs * each.calls) / calls;
        const errors = sum((each) => each.errors);
        return [{ server_name: name, total_calls: calls, total_errors: errors, avg_latency_ms: Math.round(averageMs) }];
      }),
    ),
  );
  app.get("/api/status", needs("viewer"), (c) => {
    const active = servers.list(c.get("caller")).filter(({ isActive }) => isActive);
    return c.json({
      active_count: active.length,
      servers: active.map(({ name, tools = [] }) => ({
        name,
        tool_count: tools.length,
        tools: tools.map((tool) => tool.name),
      })),
    });
  });
}

function addLogs(app: Hono<GatewayRoutes>, { calls }: RestParts): void {
  app.get("/api/logs", needs("viewer"), (c) => {
    const { limit, offset } = readPage(c.req.query());
    const caller = c.get("caller");
    const isFor = ({ server }: LogEntry) => seesServer(caller, server);
    const { entries, total } = calls.page(limit, offset, isFor);
    return c.json({ entries: entries.map((entry) => renderLogEntry(entry, caller)), total });
  });
  app.delete("/api/logs", needs("admin"), (c) => {
    calls.clear();
    return c.json({ status: "cleared" });
  });
}

const secretsCure =
  "this gateway keeps no secrets: put the value into a Secret of the namespace and name it in the server's spec.env, which only that server's pod reads";

function addWhatIsNotHere(app: Hono<GatewayRoutes>, parts: RestParts): void {
  const refuse = (c: Ctx) => {
    serverOf(c, parts);
    throw new RestError(501, "not_configured", secretsCure);
  };
  app.get("/api/servers/:id/secrets", needs("admin"), refuse);
  app.put("/api/servers/:id/secrets/:key", needs("admin"), refuse);
  app.delete("/api/servers/:id/secrets/:key", needs("admin"), refuse);
}
