// REST of the instance's tool servers (DSC-8), in the words and shapes of the interface it comes from: every route with its role. What is
// done stands in servers/; here requests become calls of it, and what comes back becomes answers.
import { Hono, type Context } from "hono";
import { readHints } from "../../lib/approvals/called-tool.ts";
import { requireRole } from "../../lib/auth/roles.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { visibleTools } from "../policy/visible-tools.ts";
import { createActivation, writable } from "../servers/activation.ts";
import type { CallLog, LogEntry } from "../servers/call-log.ts";
import type { ServerEntry } from "../servers/entry.ts";
import type { ReadErrorLog } from "../servers/error-log.ts";
import type { ToolDifference } from "../servers/pins.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import { seesServer } from "../management/access.ts";
import type { WritesFor } from "../state/state.ts";
import { needs, readObject, renderError, RestError, wrongField } from "./answers.ts";
import type { Browser } from "../discovery/browse/browser.ts";
import { createBrowseRoute } from "./browse-route.ts";
import { createCallRoute, type CallRouteParts } from "./call-route.ts";
import { openApiPath } from "./described-route.ts";
import { renderOpenApi } from "./document.ts";
import { matchesQuery, readPage } from "./query.ts";
import { postBody, putBody, readBody } from "./server-body.ts";
import { serverOf } from "./server-of.ts";
import { renderLogEntry, renderServer, renderSingle } from "./server-view.ts";
import type { ServerWrites } from "./server-writes.ts";

export interface RestParts extends CallRouteParts {
  servers: ToolServers;
  calls: CallLog;
  writesFor: WritesFor;
  serverWrites: ServerWrites;
  browser: Browser;
  readErrorLog: ReadErrorLog;
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
  app.route("/", createCallRoute(parts));
  addPins(app, parts);
  addMetrics(app, parts);
  addLogs(app, parts);
  addWhatIsNotHere(app, parts);
  app.route("/", createBrowseRoute(parts.browser));
  return app;
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
  app.get("/api/servers/:id", needs("viewer"), (c) => {
    const server = serverOf(c, servers);
    return c.json(renderSingle(server, visibleTools(server, parts.policy.hides(c.get("caller")))));
  });
  app.post("/api/servers", needs("admin"), async (c) => {
    const body = readBody(postBody, await readObject(c.req.raw));
    const name = await serverWrites.create(body, c.get("caller"));
    return c.json(renderServer(known(servers, name, c)), 201);
  });
  app.put("/api/servers/:id", needs("admin"), async (c) => {
    const server = serverOf(c, parts.servers);
    const body = readBody(putBody, await readObject(c.req.raw));
    const name = await serverWrites.change(server, body, c.get("caller"));
    return c.json(renderServer(known(servers, name, c)));
  });
  app.delete("/api/servers/:id", needs("admin"), async (c) => {
    const server = serverOf(c, parts.servers);
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
  const { servers, writesFor, clock } = parts;
  const activation = createActivation({ servers, clock });
  app.post("/api/servers/:id/activate", needs("operator"), async (c) => {
    const server = serverOf(c, parts.servers);
    if (server.refusal !== undefined) throw new RestError(400, "not_accepted", server.refusal);
    const status = await activation.activate(server, writesFor(c.get("caller")));
    return c.json({ status, tool_count: server.tools?.length ?? 0 });
  });
  app.post("/api/servers/:id/deactivate", needs("operator"), async (c) => {
    return c.json({ status: await activation.deactivate(serverOf(c, parts.servers), writesFor(c.get("caller"))) });
  });
  app.post("/api/servers/:id/health", needs("operator"), async (c) => {
    const server = serverOf(c, parts.servers);
    const { status, latencyMs, error } = await activation.check(server, writesFor(c.get("caller")));
    return c.json({ status, latency_ms: latencyMs, ...(error !== undefined && { error }) });
  });
  app.post("/api/servers/:id/reset-errors", needs("operator"), (c) => {
    serverOf(c, parts.servers).resetErrors();
    return c.json({ status: "reset" });
  });
}

function addPins(app: Hono<GatewayRoutes>, { servers, policy, log }: RestParts): void {
  app.get("/api/servers/:id/pins", needs("viewer"), (c) => {
    const [server, caller] = [serverOf(c, servers), c.get("caller")];
    const { pins } = server;
    // Whoever may approve sees all that they would approve; others see no tool that the policy hides from them.
    const hides = requireRole(caller, "approver") === undefined ? () => false : policy.hides(caller);
    const isSeen = ({ tool }: ToolDifference) => {
      const now = pins.definitionOf(tool);
      return !hides(server.name, tool, () => now && readHints(now));
    };
    const changes = pins
      .differences()
      .filter(isSeen)
      .map(({ tool, change, pinnedHash, hash, fields, now }) => ({
        tool,
        change,
        pinned_hash: pinnedHash ?? null,
        hash: hash ?? null,
        fields: fields ?? null,
        now: now ?? null,
      }));
    return c.json({ mode: pins.mode, tools_hash: pins.toolsHash, pinned: pins.pinned?.length ?? 0, changes });
  });
  app.post("/api/servers/:id/pins/approve", needs("approver"), async (c) => {
    const server = serverOf(c, servers);
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
      servers.metersOf(serverOf(c, parts.servers).name).map(({ tool, calls, errors, averageMs, lastCalledAt }) => ({
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
    const caller = c.get("caller");
    const active = servers.list(caller).filter(({ isActive }) => isActive);
    const hides = parts.policy.hides(caller);
    return c.json({
      active_count: active.length,
      servers: active.map((server) => {
        const tools = visibleTools(server, hides).map((tool) => tool.name);
        return { name: server.name, tool_count: tools.length, tools };
      }),
    });
  });
}

const noErrorLog = {
  elsewhere: [404, "no_log", "runs elsewhere: what it writes to standard error is read there"],
  none: [409, "not_running", "has no process now that could be asked"],
  unanswered: [502, "unanswered", "runs behind a bridge that does not answer: try again, or read the log of its pod"],
} as const;

function addLogs(app: Hono<GatewayRoutes>, { calls, servers, readErrorLog, log }: RestParts): void {
  app.get("/api/servers/:id/stderr", needs("operator"), async (c) => {
    const server = serverOf(c, servers);
    const found = await readErrorLog(server, c.req.raw.signal);
    if (found.kind === "lines") return c.json({ lines: found.lines });
    if (found.kind === "unanswered") log.warn({ server: server.name, err: found.cause }, "bridge does not answer");
    const [status, error, message] = noErrorLog[found.kind];
    throw new RestError(status, error, `server "${server.name}" ${message}`);
  });
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
    serverOf(c, parts.servers);
    throw new RestError(501, "not_configured", secretsCure);
  };
  app.get("/api/servers/:id/secrets", needs("admin"), refuse);
  app.put("/api/servers/:id/secrets/:key", needs("admin"), refuse);
  app.delete("/api/servers/:id/secrets/:key", needs("admin"), refuse);
}
