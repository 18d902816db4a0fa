// Inbound authentication of /mcp (AGT-11): who comes without a valid token gets 401 and learns where to get one (RFC 6750,
// RFC 9728). It names the caller to what follows, and hands the token itself to nobody.
import { Hono, type MiddlewareHandler } from "hono";
import { renderRpcFailure, rpcCodes } from "../mcp/json-rpc.ts";
import type { McpVariables } from "../mcp/serve.ts";
import type { Clock } from "../process/clock.ts";
import { renderChallenge, type Challenge } from "./challenge.ts";
import type { TrustedIssuer } from "./discovery.ts";
import { keyTimes, type IssuerKeys } from "./keys.ts";
import { judgeToken } from "./token.ts";

export const metadataPath = "/.well-known/oauth-protected-resource";
/** Sooner the issuer would not be asked again. */
const retryAfterSeconds = String(keyTimes.pauseMs / 1_000);

export interface AuthParts {
  trusted: TrustedIssuer;
  /** The published URL of what is guarded, as who sent a request to this URL knows it. Ends in /mcp. */
  resourceAt: (requestUrl: string) => string;
  /** For people who are asked to sign in. */
  title: string;
  keys: IssuerKeys;
  clock: Clock;
}

/** The metadata routes, and then the guard for every route that is added after it. */
export function createAuthApp(parts: AuthParts): Hono<McpVariables> {
  const { trusted, resourceAt, title } = parts;
  const app = new Hono<McpVariables>();
  const serveMetadata: MiddlewareHandler = async (c) =>
    c.json(
      {
        resource: resourceAt(c.req.url),
        authorization_servers: [trusted.issuer],
        bearer_methods_supported: ["header"],
        resource_name: title,
      },
      200,
      { "Cache-Control": "max-age=3600" },
    );
  app.get(metadataPath, serveMetadata);
  app.get(`${metadataPath}/mcp`, serveMetadata);
  app.use(createGuard(parts));
  return app;
}

function createGuard({ trusted, resourceAt, keys, clock }: AuthParts): MiddlewareHandler<McpVariables> {
  return async function guard(c, next) {
    const refuse = (status: 400 | 401, error: Challenge["error"], why: string) => {
      const metadataUrl = `${resourceAt(c.req.url).replace(/\/mcp$/, "")}${metadataPath}/mcp`;
      return renderRpcFailure({
        status,
        code: rpcCodes.serverError,
        message: why,
        headers: { "WWW-Authenticate": renderChallenge({ error, why, metadataUrl }) },
      });
    };
    if (new URL(c.req.url).searchParams.has("access_token")) {
      return refuse(400, "invalid_request", "a token in the URL is not accepted: send it in the Authorization header");
    }
    const header = c.req.header("authorization");
    if (header === undefined || !/^bearer\b/i.test(header)) {
      return refuse(401, undefined, "this agent needs a token of its issuer: send it as Authorization: Bearer TOKEN");
    }
    const token = /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (token === undefined) return refuse(401, "invalid_token", "expected one token after Bearer");
    const verdict = await judgeToken(token, trusted, keys, new Date(clock.wallNow()));
    if (verdict.kind === "refused") {
      return refuse(401, "invalid_token", `${verdict.why}: get a new one from the issuer`);
    }
    if (verdict.kind === "unavailable") {
      const message = "tokens cannot be checked now, because the issuer's keys cannot be read: try again later";
      const headers = { "Retry-After": retryAfterSeconds };
      return renderRpcFailure({ status: 503, code: rpcCodes.serverError, message, headers });
    }
    c.set("caller", verdict.caller);
    await next();
    return undefined;
  };
}
