// The directory over HTTP (DIR-1…DIR-5): `/agents`, `/discover/agents`, `/mcp/servers`. Who asks was named before; roles are asked for
// here. What is wrong is answered as JSON with `error` and `message`.
import { Hono, type Context, type ErrorHandler } from "hono";
import { requireRole, type Identity, type Role } from "../../lib/auth/roles.ts";
import { withDeadline } from "../../lib/process/http-deadline.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { WriteRefused, type RefusalKind } from "../state/state.ts";
import { findEndpoint, type Directory } from "./directory.ts";
import { findValueText } from "./json-members.ts";
import { readBody } from "./read-body.ts";
import { createReads, jsonType } from "./reads.ts";
import { DirectoryRefused, renderDirectoryRefused, type DirectoryStatus } from "./refused.ts";
import { renderEndpoint, renderEntry, renderEntryCard } from "./render.ts";
import { parseSubmittedAgent, parseSubmittedEndpoint } from "./submission.ts";

export interface DirectoryRoutesParts {
  directory: Directory;
  /** Of bodies that are read. */
  budget: MemoryBudget;
  log: Logger;
}

const deadlineMs = 60_000;

function asRole(c: Context<GatewayRoutes>, role: Role): Identity {
  const identity = c.get("caller");
  const refusal = requireRole(identity, role);
  if (refusal !== undefined) throw new DirectoryRefused(403, refusal.message);
  return identity;
}

export function createDirectoryRoutes({ directory, budget, log }: DirectoryRoutesParts): Hono<GatewayRoutes> {
  const { catalogue } = directory;
  const app = new Hono<GatewayRoutes>();
  app.onError(renderError(log));
  for (const path of ["/agents", "/agents/*", "/discover/agents", "/mcp/servers", "/mcp/servers/*"]) {
    app.use(path, withDeadline(deadlineMs));
  }
  app.route(
    "/",
    createReads(catalogue, (c) => asRole(c, "viewer")),
  );

  app.post("/agents", async (c) => {
    const caller = asRole(c, "caller");
    const { value } = await readBody(c.req.raw, budget);
    const { entry, isNew } = await directory.register(parseSubmittedAgent(value), caller);
    return c.json(renderEntry(entry, catalogue, caller), isNew ? 201 : 200, { Location: `/agents/${entry.id}` });
  });
  app.put("/agents/:id", async (c) => {
    const caller = asRole(c, "caller");
    const { value } = await readBody(c.req.raw, budget);
    const entry = await directory.change(c.req.param("id"), parseSubmittedAgent(value), caller);
    return c.json(renderEntry(entry, catalogue, caller));
  });
  app.delete("/agents/:id", async (c) => {
    await directory.remove(c.req.param("id"), asRole(c, "caller"));
    return c.body(null, 204);
  });
  app.post("/mcp/servers", async (c) => {
    const caller = asRole(c, "caller");
    const { text } = await readBody(c.req.raw, budget);
    const card = findValueText(text, "serverCard");
    if (card?.startsWith("{") !== true) {
      throw new DirectoryRefused(422, "serverCard: must be an object, the server's card");
    }
    const { entry, isNew } = await directory.registerCard(card, caller);
    const headers = { Location: `/mcp/servers/${entry.id}`, ...jsonType };
    return c.body(renderEntryCard(entry, catalogue) ?? "", isNew ? 201 : 200, headers);
  });
  addEndpointRoutes(app, directory, budget);
  return app;
}

const endpointsPath = "/agents/:id/endpoints";
const endpointPath = `${endpointsPath}/:endpointId` as const;

function addEndpointRoutes(app: Hono<GatewayRoutes>, directory: Directory, budget: MemoryBudget): void {
  const { catalogue } = directory;
  app.post(endpointsPath, async (c) => {
    const caller = asRole(c, "caller");
    const { value } = await readBody(c.req.raw, budget);
    const id = c.req.param("id");
    const endpoint = await directory.addEndpoint(id, parseSubmittedEndpoint(value), caller);
    return c.json(renderEndpoint(endpoint, catalogue), 201, { Location: `/agents/${id}/endpoints/${endpoint.id}` });
  });
  app.get(endpointPath, (c) => {
    const entry = catalogue.find(c.req.param("id"), asRole(c, "viewer"));
    if (entry === undefined) throw new DirectoryRefused(404, "nothing is registered by this id");
    return c.json(renderEndpoint(findEndpoint(entry, c.req.param("endpointId")), catalogue));
  });
  app.put(endpointPath, async (c) => {
    const caller = asRole(c, "caller");
    const { value } = await readBody(c.req.raw, budget);
    const { id, endpointId } = c.req.param();
    const endpoint = await directory.changeEndpoint(id, endpointId, parseSubmittedEndpoint(value), caller);
    return c.json(renderEndpoint(endpoint, catalogue));
  });
  app.delete(endpointPath, async (c) => {
    const { id, endpointId } = c.req.param();
    await directory.removeEndpoint(id, endpointId, asRole(c, "caller"));
    return c.body(null, 204);
  });
  for (const way of ["heartbeat", "renew"] as const) {
    app.post(`${endpointPath}/${way}`, (c) => {
      const { id, endpointId } = c.req.param();
      directory.beat(id, endpointId, way, asRole(c, "caller"));
      return c.body(null, 204);
    });
  }
}

const writeStatuses = {
  "not-allowed": 403,
  taken: 409,
  gone: 404,
  changed: 409,
  invalid: 422,
  unanswered: 503,
} as const satisfies Record<RefusalKind, DirectoryStatus>;

const renderError =
  (log: Logger): ErrorHandler<GatewayRoutes> =>
  (error, c) => {
    const refused =
      error instanceof WriteRefused ? { status: writeStatuses[error.kind], message: error.message } : error;
    if (refused instanceof DirectoryRefused || !(refused instanceof Error)) {
      return c.json(renderDirectoryRefused(refused), refused.status);
    }
    log.error({ method: c.req.method, err: error }, "directory request failed");
    return c.json({ error: "internal_error", message: "internal error, see the gateway's log" }, 500);
  };
