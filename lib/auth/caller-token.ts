// The one token of an agent without an issuer, on a machine without a cluster: whoever calls from another machine must send
// it. Programs of this machine need none, as where it listens on loopback alone. It is the agent's own, so it is taken off
// the request and goes to nobody.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import type { MiddlewareHandler } from "hono";
import { renderRpcFailure, rpcCodes } from "../mcp/json-rpc.ts";
import type { McpVariables } from "../mcp/serve.ts";

/** What hono's `env` holds where a socket is behind the request. */
type SocketBindings = Partial<{ incoming: { socket: Pick<Socket, "remoteAddress" | "localAddress"> } }>;

export function requireCallerToken(token: string): MiddlewareHandler<McpVariables & { Bindings: SocketBindings }> {
  const expected = digest(token);
  return async function guard(c, next) {
    const sent = /^bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const isOwn = sent !== undefined && timingSafeEqual(digest(sent), expected);
    if (isOwn) {
      c.req.raw.headers.delete("authorization");
    } else if (!isFromThisMachine(c.env.incoming?.socket)) {
      return renderRpcFailure({
        status: 401,
        code: rpcCodes.serverError,
        message: "callers from other machines need this agent's token: send it as Authorization: Bearer TOKEN",
        headers: { "WWW-Authenticate": sent === undefined ? "Bearer" : 'Bearer error="invalid_token"' },
      });
    }
    await next();
    return undefined;
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** From loopback, or from the very address that it came to, which no other machine has. */
function isFromThisMachine(socket: Pick<Socket, "remoteAddress" | "localAddress"> | undefined): boolean {
  const [remote, local] = [socket?.remoteAddress, socket?.localAddress].map((address) =>
    address?.replace(/^::ffff:(?=\d+\.)/i, ""),
  );
  if (remote === undefined) return false;
  return remote === "::1" || remote.startsWith("127.") || remote === local;
}
