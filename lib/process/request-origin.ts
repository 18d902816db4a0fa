// The origin under which a browser knows a server, from a request whose Host has been checked. Whoever ended TLS before the server
// says so by X-Forwarded-Proto, as Ingresses do.
import type { Context } from "hono";

/** As browsers write it: lower case, without the scheme's own port. */
export function requestOrigin(c: Context): string {
  const { host } = new URL(c.req.url);
  const scheme = c.req.header("x-forwarded-proto")?.split(",")[0]?.trim().toLowerCase();
  return new URL(`${scheme === "https" ? "https" : "http"}://${host}`).origin;
}
