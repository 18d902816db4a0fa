// Reading the directory over HTTP: entries, pages of them, and cards. Served to callers with a role, and where the instance says so to
// anybody who shows no token (`spec.gateway.directory.public`); what the latter see says nothing of owners.
import { Hono, type Context, type MiddlewareHandler } from "hono";
import type { Identity } from "../../lib/auth/roles.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import type { Catalogue } from "./catalogue.ts";
import { discover, parseDiscoverQuery, type Page } from "./discover.ts";
import { isMcpEndpoint, type DirectoryEntry } from "./entry.ts";
import { DirectoryRefused, renderDirectoryRefused } from "./refused.ts";
import { renderChunks, renderEntry, renderEntryCard, renderPage } from "./render.ts";

export const jsonType = { "Content-Type": "application/json; charset=utf-8" } as const;

/** Throws a DirectoryRefused where the caller may not read. Undefined: somebody without a token. */
export type IdentifyReader = (c: Context<GatewayRoutes>) => Identity | undefined;

const queryOf = (c: Context): URLSearchParams => new URL(c.req.url).searchParams;

export function createReads(catalogue: Catalogue, identify: IdentifyReader): Hono<GatewayRoutes> {
  const app = new Hono<GatewayRoutes>();
  app.get("/discover/agents", (c) => {
    const identity = identify(c);
    const page = discover(catalogue.list(identity), parseDiscoverQuery(queryOf(c)), catalogue.isLive);
    return answerPage(c, page, (entry) => JSON.stringify(renderEntry(entry, catalogue, identity)));
  });
  app.get("/mcp/servers", (c) => {
    const query = parseDiscoverQuery(queryOf(c));
    const page = discoverServers(catalogue, query, identify(c));
    return answerPage(c, page, (entry) => renderEntryCard(entry, catalogue) ?? "null");
  });
  app.get("/mcp/servers/:id", (c) => {
    const card = findCard(catalogue, c.req.param("id"), identify(c));
    return c.body(card, 200, jsonType);
  });
  app.get("/agents/:id", (c) => {
    const identity = identify(c);
    const entry = catalogue.find(c.req.param("id"), identity);
    if (entry === undefined) throw new DirectoryRefused(404, "nothing is registered by this id");
    return c.json(renderEntry(entry, catalogue, identity));
  });
  return app;
}

/** A page of those that serve MCP over Streamable HTTP, by the endpoints that do. */
function discoverServers(
  catalogue: Catalogue,
  query: ReturnType<typeof parseDiscoverQuery>,
  identity: Identity | undefined,
): Page<DirectoryEntry> {
  function* listServers(): Generator<DirectoryEntry> {
    for (const entry of catalogue.list(identity)) {
      const endpoints = entry.endpoints.filter(isMcpEndpoint);
      if (endpoints.length > 0) yield { ...entry, endpoints };
    }
  }
  return discover(listServers(), query, catalogue.isLive);
}

/** Throws a DirectoryRefused where there is none for this caller. */
export function findCard(catalogue: Catalogue, id: string, identity: Identity | undefined): string {
  const entry = catalogue.find(id, identity);
  const card = entry && renderEntryCard(entry, catalogue);
  if (card !== undefined) return card;
  const why =
    entry === undefined ? "nothing is registered by this id" : `"${entry.name}" serves no MCP over Streamable HTTP`;
  throw new DirectoryRefused(404, why);
}

const answerPage = (c: Context, page: Page<DirectoryEntry>, renderItem: (entry: DirectoryEntry) => string): Response =>
  c.body(renderChunks(renderPage(page, renderItem)), 200, jsonType);

/** Before callers are named: who shows a token is left to the routes behind, by which it is judged. */
export function createPublicReads(catalogue: Catalogue, observeUnready: () => string | undefined): Hono<GatewayRoutes> {
  const reads = createReads(catalogue, () => undefined);
  const app = new Hono<GatewayRoutes>();
  const serve: MiddlewareHandler<GatewayRoutes> = async (c, next) => {
    const showsToken = c.req.header("authorization") !== undefined || queryOf(c).has("access_token");
    if (showsToken) return await next();
    const unready = observeUnready();
    if (unready !== undefined) return c.json(renderDirectoryRefused({ status: 503, message: unready }), 503);
    return await reads.fetch(c.req.raw, c.env);
  };
  for (const path of ["/discover/agents", "/mcp/servers", "/mcp/servers/:id"]) app.get(path, serve);
  reads.onError((error, c) => {
    if (error instanceof DirectoryRefused) return c.json(renderDirectoryRefused(error), error.status);
    throw error;
  });
  return app;
}
