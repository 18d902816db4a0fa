// Names the caller of each request to what follows (MGM-1), or answers as the refusal says. A token that agents may not have
// is taken off the request, so that nobody behind can send it on.
import type { MiddlewareHandler } from "hono";
import type { GatewayConfig } from "../crds/gateway-config.ts";
import type { Authenticate } from "../lib/auth/authenticate.ts";
import { refuseUnchecked, type Refusal } from "../lib/auth/refusal.ts";
import { readRequestFacts } from "../lib/auth/request-credentials.ts";
import type { Identity } from "../lib/auth/roles.ts";
import { renderRpcFailure, rpcCodes } from "../lib/mcp/json-rpc.ts";
import type { ServerEnv } from "../lib/process/http-server.ts";
import { findForwardedAuthorization } from "./forwarded-token.ts";
import { findMetadataUrl } from "./protected-resource.ts";

/** What routes behind the guard find in their context. */
export interface GatewayRoutes {
  Bindings: ServerEnv;
  Variables: { caller: Identity };
}

export interface NameCallerParts {
  authenticate: Authenticate;
  config: Pick<GatewayConfig, "jwt" | "audience">;
  /** Why nobody's token can be judged yet. */
  observeUnready: () => string | undefined;
  onRefused: (status: Refusal["status"]) => void;
}

export function nameCaller(parts: NameCallerParts): MiddlewareHandler<GatewayRoutes> {
  const { authenticate, config, observeUnready, onRefused } = parts;
  return async function guard(c, next) {
    const { incoming } = c.env;
    // Only where two Authorization headers can be told from one.
    if (!("headersDistinct" in incoming)) throw new Error("expected a request of HTTP/1.1, found one of HTTP/2");
    const isReady = observeUnready() === undefined;
    const found = isReady
      ? await authenticate(readRequestFacts(incoming), findMetadataUrl(c, config))
      : refuseUnchecked();
    if (found.kind === "refused") {
      onRefused(found.status);
      return renderRefusal(found);
    }
    const forwarded = findForwardedAuthorization(c.req.header("authorization"), config);
    if (forwarded === undefined) c.req.raw.headers.delete("authorization");
    c.set("caller", found);
    await next();
    return undefined;
  };
}

/** For routes that speak MCP. */
export const renderRefusal = ({ status, message, headers }: Refusal): Response =>
  renderRpcFailure({ status, code: rpcCodes.serverError, message, headers: { ...headers } });
