// Host and Origin allow-lists with matching CORS (SEC-4), as hono middleware: the defence against DNS rebinding and foreign pages.
// Names are compared whole; there are no wildcards and no suffix rules. It authenticates nobody.
import { isIPv6 } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { requestOrigin } from "./request-origin.ts";

/** Names under which a program on the same machine reaches us. */
export const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"] as const;

const preflightMaxAgeSeconds = "600";
const maxShownHeaderChars = 100;
const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const publicMethods = "GET, HEAD, OPTIONS";
/** Granted to readers of what is public whether asked for or not: clients of registries look for them in any answer (CAT-10). */
const publicHeaders = ["authorization", "content-type"];
const exposedHeaders = "Mcp-Session-Id, MCP-Protocol-Version, ETag, Retry-After, WWW-Authenticate";
const allowedHeaders: ReadonlySet<string> = new Set([
  "accept",
  "authorization",
  "content-type",
  "if-none-match",
  "last-event-id",
  "traceparent",
  "tracestate",
]);

export interface GuardOptions {
  /** Host names and addresses, with or without a port; the port is not compared. */
  allowedHosts: readonly string[];
  /** Origins as browsers send them (`https://app.example.com`), or `null` for pages without one. */
  allowedOrigins: readonly string[];
  /** Paths whose GET and HEAD answer every origin with `Access-Control-Allow-Origin: *`. Default: none. */
  isPublicRead?: (path: string) => boolean;
  /**
   * Whether this server has pages, which may call it: an origin that is the one under which it was asked, which a name that
   * was rebound to it cannot be, since the Host is listed. Default: on this machine only.
   */
  hasPages?: boolean;
}

/** Sent with every public read, whoever asks. */
export const publicReadHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": exposedHeaders,
  "Access-Control-Allow-Methods": publicMethods,
  "Access-Control-Allow-Headers": publicHeaders.join(", "),
} as const;

/** Tells whether a Host header is on the list; for who answers a request before the guard sees it. Throws as `guardHosts`. */
export function createHostCheck(allowedHosts: readonly string[]): (host: string) => boolean {
  const hosts = new Set(allowedHosts.map(parseAllowedHost));
  return (host) => {
    const name = parseHostName(host);
    return name !== undefined && hosts.has(name);
  };
}

/**
 * Refuses a request whose Host is not listed, and one that carries an Origin that is not listed, with 403 and JSON.
 * Answers preflights of listed origins itself. Throws on an entry that is a wildcard or malformed.
 */
export function guardHosts(options: GuardOptions): MiddlewareHandler {
  const hosts = new Set(options.allowedHosts.map(parseAllowedHost));
  const origins = new Set(options.allowedOrigins.map(parseAllowedOrigin));
  return async function guard(c, next) {
    const host = c.req.header("host") ?? "";
    if (!isAllowedHost(host, c.req.url, hosts)) return refuse(c, "host_not_allowed", "Host", host);
    const origin = c.req.header("origin");
    const preflightMethod = c.req.method === "OPTIONS" ? c.req.header("access-control-request-method") : undefined;
    const publicRead = isRead(preflightMethod ?? c.req.method) && options.isPublicRead?.(c.req.path) === true;
    const isKnown =
      origin === undefined ||
      origins.has(origin.toLowerCase()) ||
      isOwnLoopback(origin, host) ||
      (options.hasPages === true && origin.toLowerCase() === requestOrigin(c));
    if (!isKnown && !publicRead) return refuse(c, "origin_not_allowed", "Origin", origin);
    const cors = renderCors(origin, publicRead);
    if (origin !== undefined && preflightMethod !== undefined) return renderPreflight(c, cors, publicRead);
    await next();
    for (const [name, value] of cors) c.header(name, value, { append: name === "Vary" });
    return undefined;
  };
}

/** A page that this very server served to a browser on the same machine; a rebound name is no loopback name. */
function isOwnLoopback(origin: string, host: string): boolean {
  const name = parseHostName(host);
  return origin.toLowerCase() === `http://${host.toLowerCase()}` && loopbackHosts.some((own) => own === name);
}

/** OPTIONS that is no preflight asks what is served, and changes nothing. */
const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS";

function isAllowedHost(header: string, url: string, hosts: ReadonlySet<string>): boolean {
  const name = parseHostName(header);
  if (name === undefined || !hosts.has(name)) return false;
  if (url.startsWith(`http://${header}/`)) return true;
  // An absolute request target (GET http://other/ HTTP/1.1) may name another host than the header does.
  const target = parseHostName(new URL(url).host);
  return target !== undefined && hosts.has(target);
}

/** The lower-case name of a Host header without port and trailing dot, IPv6 in brackets and shortest form; undefined when malformed. */
function parseHostName(text: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(text);
  const name = match?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  if (!name.startsWith("[")) return name.endsWith(".") ? name.slice(0, -1) : name;
  return URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : undefined;
}

function parseAllowedHost(entry: string): string {
  const name = parseHostName(isIPv6(entry) ? `[${entry}]` : entry);
  if (name === undefined || name === "") {
    throw new Error(
      `allowed host "${entry}" is not a host name or address: list each name by itself, wildcards are not supported`,
    );
  }
  return name;
}

function parseAllowedOrigin(entry: string): string {
  const origin = entry.toLowerCase();
  if (origin === "null") return origin;
  if (!/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._:[\]-]+$/.test(origin) || !URL.canParse(origin)) {
    throw new Error(
      `allowed origin "${entry}" is not an origin: write scheme and host, as https://app.example.com, without a path or wildcard`,
    );
  }
  // Only http, https, ws, wss and ftp have an origin of their own for URL; others (vscode-webview://…) are sent as written.
  const canonical = new URL(origin).origin;
  return canonical === "null" ? origin : canonical;
}

function renderCors(origin: string | undefined, publicRead: boolean): [string, string][] {
  if (publicRead) return Object.entries(publicReadHeaders);
  const exposed: [string, string] = ["Access-Control-Expose-Headers", exposedHeaders];
  const vary: [string, string] = ["Vary", "Origin"];
  return origin === undefined ? [vary] : [["Access-Control-Allow-Origin", origin], exposed, vary];
}

function renderPreflight(c: Context, cors: readonly [string, string][], publicRead: boolean): Response {
  const requested = (c.req.header("access-control-request-headers") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  const granted = requested.filter((name) => allowedHeaders.has(name) || /^mcp-[a-z0-9-]+$/.test(name));
  const response = c.body(null, 204, { Vary: "Access-Control-Request-Headers" });
  for (const [name, value] of cors) response.headers.append(name, value);
  const always = publicRead ? publicHeaders : [];
  response.headers.set("Access-Control-Allow-Methods", publicRead ? publicMethods : allowedMethods);
  response.headers.set("Access-Control-Allow-Headers", [...new Set([...granted, ...always])].join(", "));
  response.headers.set("Access-Control-Max-Age", preflightMaxAgeSeconds);
  return response;
}

function refuse(c: Context, error: string, header: string, found: string): Response {
  const shown = found.length > maxShownHeaderChars ? `${found.slice(0, maxShownHeaderChars)}…` : found;
  const message = `${header} "${shown}" is not on the allow-list of this server: use a listed one, or have it added`;
  return c.json({ error, message }, 403);
}
