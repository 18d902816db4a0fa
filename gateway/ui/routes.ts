// Serves the dashboard (UI-1) to everybody who reaches the gateway: its files hold no secret, and what they show, the page asks for with
// its user's own token. Below /ui nothing is written, and only what was built is there.
import { Hono, type Context, type MiddlewareHandler } from "hono";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { chooseEncoding } from "../../lib/process/content-encoding.ts";
import { matchesEtag } from "../../lib/process/entity-tag.ts";
import { requestOrigin } from "../../lib/process/request-origin.ts";
import { createBlockedReports, maxReportBytes, type BlockedReportsParts } from "./blocked-reports.ts";
import type { Dashboard, DashboardFile } from "./dashboard-files.ts";
import { renderPageConfig } from "./page-config.ts";
import { renderPageHeaders } from "./page-policy.ts";

const base = "/ui";
const reportPath = `${base}/csp-report`;
/** Names of assets change with their bytes. */
const forEver = "public, max-age=31536000, immutable";
const revalidated = "no-cache";

export const isDashboardPath = (path: string): boolean => path === base || path.startsWith(`${base}/`);

export interface DashboardParts extends BlockedReportsParts {
  /** Undefined where none was built. */
  dashboard: Dashboard | undefined;
  config: Pick<GatewayConfig, "instance" | "jwt" | "ui">;
  /** Whether it runs beside `pallas up`. */
  isLocal: boolean;
}

export function createDashboardRoutes(parts: DashboardParts): Hono {
  const { dashboard, config, isLocal } = parts;
  const app = new Hono();
  const takeReport = createBlockedReports(parts);
  const issuer = config.ui?.oidc === undefined ? undefined : config.jwt?.issuer;
  app.use(`${base}/*`, withPageHeaders(issuer));
  app.post(reportPath, async (c) => {
    const status = await takeReport(c.req.raw);
    if (status === 204) return c.body(null, 204);
    const message = `expected a report of a browser, as JSON of at most ${maxReportBytes} bytes`;
    return c.json({ error: "bad_report", message }, status);
  });
  app.use(`${base}/*`, onlyReads);
  app.get(base, (c) => c.redirect(`${base}/`, 308));
  if (dashboard === undefined) {
    app.get(`${base}/*`, (c) => {
      const message = 'this gateway was built without its dashboard: run "make build", or use an image of a release';
      return c.json({ error: "not_found", message }, 404, { "Cache-Control": "no-store" });
    });
    return app;
  }
  const pageConfig = JSON.stringify(renderPageConfig({ config, isLocal, build: dashboard.page.hash }));
  app.get(`${base}/config.json`, (c) =>
    c.body(pageConfig, 200, { "Content-Type": "application/json", "Cache-Control": revalidated }),
  );
  app.get(`${base}/`, (c) => serve(c, dashboard.page, revalidated));
  app.get(`${base}/assets/:name`, async (c, next) => {
    const file = dashboard.assets.get(`assets/${c.req.param("name")}`);
    return file === undefined ? await next() : serve(c, file, forEver);
  });
  app.get(`${base}/*`, (c) => {
    const message = `the dashboard has no such file: it is at ${base}/`;
    return c.json({ error: "not_found", message }, 404, { "Cache-Control": "no-store" });
  });
  return app;
}

const withPageHeaders = (issuer: string | undefined): MiddlewareHandler =>
  async function pageHeaders(c, next) {
    await next();
    const headers = renderPageHeaders({ origin: requestOrigin(c), issuer, reportPath });
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
  };

/** HEAD is a GET to Hono. */
const onlyReads: MiddlewareHandler = async (c, next) => {
  if (c.req.method === "GET" || c.req.method === "HEAD") return await next();
  const message = `the dashboard is only read: expected GET or HEAD, found ${c.req.method.slice(0, 20)}`;
  return c.json({ error: "method_not_allowed", message }, 405, { Allow: "GET, HEAD" });
};

/** In the form that the client likes best of those there are; 304 to who has it. */
function serve(c: Context, { contentType, hash, bytes }: DashboardFile, cacheControl: string): Response {
  const wanted = chooseEncoding(c.req.header("accept-encoding"));
  const encoding = bytes[wanted] === undefined ? "identity" : wanted;
  const body = bytes[encoding] ?? bytes.identity;
  const etag = encoding === "identity" ? `"${hash}"` : `"${hash}-${encoding}"`;
  const always = { ETag: etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding" };
  if (matchesEtag(c.req.header("if-none-match"), etag)) return c.body(null, 304, always);
  return c.body(body, 200, {
    ...always,
    "Content-Type": contentType,
    "Content-Length": String(body.byteLength),
    ...(encoding !== "identity" && { "Content-Encoding": encoding }),
  });
}
