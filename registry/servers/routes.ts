// The generic read API of MCP registries (CAT-10), as the registry project's OpenAPI has it: /v0.1, and /v0 for clients
// that still ask there. It is read-only: what would publish answers 501. Errors are `{ error }` with a sentence, as
// that API has them.
import { Hono, type Context } from "hono";
import { matchesEtag } from "../../lib/process/entity-tag.ts";
import { refuseUnsynced, revalidated } from "../catalogue/serve-document.ts";
import { shorten } from "../shorten.ts";
import type { Surface } from "../surface.ts";
import { renderPage, selectPage, type Page } from "./page.ts";
import { parseServerQuery } from "./query.ts";
import type { ServerRecord } from "./record.ts";
import type { ServerRecords } from "./records.ts";

const prefixes = ["/v0.1", "/v0"] as const;
const latest = "latest";

export function serversSurface(records: ServerRecords): Surface {
  const app = new Hono();
  for (const prefix of prefixes) {
    app.get(`${prefix}/servers`, (c) => listServers(c, records));
    // The name with its slash encoded, as the API wants it, and as it is.
    for (const server of [`${prefix}/servers/:name`, `${prefix}/servers/:namespace/:slug`]) {
      app.get(`${server}/versions`, (c) => withServer(c, records, (record) => answer(c, renderPage([record]))));
      app.get(`${server}/versions/:version`, (c) => withServer(c, records, (record) => serveVersion(c, record)));
      app.on(["PUT", "DELETE"], `${server}/versions/:version`, refuseWrite);
      app.on(["PATCH"], `${server}/versions/:version/status`, refuseWrite);
      app.on(["PATCH"], `${server}/status`, refuseWrite);
    }
    app.post(`${prefix}/publish`, refuseWrite);
  }
  return { app, isPublicRead: (path) => prefixes.some((prefix) => path.startsWith(`${prefix}/`)) };
}

function listServers(c: Context, records: ServerRecords): Response {
  const sorted = records.all();
  if (sorted === undefined) return refuseUnsynced(c);
  const parsed = parseServerQuery(c.req.query());
  if (!parsed.ok) return c.json({ error: parsed.message }, 400);
  return answer(c, selectPage(sorted, parsed.query));
}

function withServer(c: Context, records: ServerRecords, serve: (record: ServerRecord) => Response): Response {
  if (records.all() === undefined) return refuseUnsynced(c);
  const { name, namespace, slug } = c.req.param();
  const asked = name ?? `${namespace}/${slug}`;
  const record = records.find(asked);
  return record === undefined || (record.isDeleted && !wantsDeleted(c))
    ? c.json({ error: `there is no server ${shorten(asked)}` }, 404)
    : serve(record);
}

const wantsDeleted = (c: Context): boolean => c.req.query("include_deleted") === "true";

function serveVersion(c: Context, record: ServerRecord): Response {
  const version = c.req.param("version") ?? latest;
  if (version !== latest && version !== record.version) {
    const error = `${record.name} has no version ${shorten(version)}: the only one is ${record.version}`;
    return c.json({ error }, 404);
  }
  return answer(c, { etag: `"${record.digest}"`, render: () => record.text });
}

function answer(c: Context, { etag, render }: Page): Response {
  const headers = { ETag: etag, "Cache-Control": revalidated };
  if (matchesEtag(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
  return c.body(render(), 200, { ...headers, "Content-Type": "application/json" });
}

const refuseWrite = (c: Context): Response =>
  c.json({ error: "this registry is read-only: what it lists are the agents of its cluster" }, 501);
