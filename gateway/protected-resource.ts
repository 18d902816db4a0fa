// Where MCP clients learn whose tokens the gateway takes (RFC 9728): for its own endpoint, and for each agent behind it. Anybody may
// read it. Names of agents are not looked up, so that nobody learns by it which there are.
import { Hono, type Context } from "hono";
import type { GatewayConfig } from "../crds/gateway-config.ts";
import { metadataPath } from "../lib/auth/guard.ts";
import { requestOrigin } from "../lib/process/request-origin.ts";

const endpointPath = /^\/(?:proxy\/[a-z0-9-]{1,63}\/|directory\/|registry\/)?mcp$/;

export const isMetadata = (path: string): boolean => path === metadataPath || path.startsWith(`${metadataPath}/`);

/** Of the endpoint that a request was for, as 401 names it; undefined where no issuer is configured. */
export function findMetadataUrl(c: Context, { jwt }: Pick<GatewayConfig, "jwt">): string | undefined {
  const { path } = c.req;
  if (jwt === undefined) return undefined;
  return `${requestOrigin(c)}${metadataPath}${endpointPath.test(path) ? path : "/mcp"}`;
}

/** The metadata routes; none where no issuer is configured. */
export function createMetadataApp({ jwt, instance }: Pick<GatewayConfig, "jwt" | "instance">): Hono {
  const app = new Hono();
  if (jwt === undefined) return app;
  const serve = (c: Context, path: string) =>
    c.json(
      {
        resource: `${requestOrigin(c)}${path}`,
        authorization_servers: [jwt.issuer],
        bearer_methods_supported: ["header"],
        resource_name: `Gateway of ${instance.name}`,
      },
      200,
      { "Cache-Control": "max-age=3600" },
    );
  app.get(metadataPath, (c) => serve(c, "/mcp"));
  app.get(`${metadataPath}/*`, async (c, next) => {
    const path = c.req.path.slice(metadataPath.length);
    if (!endpointPath.test(path)) return await next();
    return serve(c, path);
  });
  return app;
}
