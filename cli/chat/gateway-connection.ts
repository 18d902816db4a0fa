// A connection to a gateway's own tools for whoever holds a token.
import { connectMcp, type McpConnection } from "../../lib/mcp/connect.ts";
import { withoutEndSlashes } from "../../lib/process/end-slashes.ts";
import { UsageError } from "../manifests/find-files.ts";
import { ChatError } from "./chat-error.ts";

/** For connecting, and for an answer of a tool that only reads. */
export const gatewayTimeoutMs = 10_000;

export interface GatewayOptions {
  /** Its URL, with `/mcp` or without. */
  gateway: string;
  token: string | undefined;
  clientVersion: string;
  signal: AbortSignal;
}

/** @throws UsageError for what no header can carry; it is not repeated */
export function readToken(token: string | undefined): string | undefined {
  if (token === undefined || token === "") return undefined;
  if (!/^[\u0021-\u007e]+$/.test(token)) {
    throw new UsageError("PALLAS_TOKEN has characters that no token has, such as a space or a line break; correct it");
  }
  return token;
}

/**
 * Whoever calls closes the connection. `base` is the gateway's URL without `/mcp`.
 * @throws ChatError without a token, McpError when it cannot be reached, UsageError for a URL that is none
 */
export async function connectGateway({
  gateway,
  token,
  clientName,
  clientVersion,
  signal,
}: GatewayOptions & { clientName: string }): Promise<{ base: string; connection: McpConnection }> {
  if (!URL.canParse(gateway) || !/^https?:$/.test(new URL(gateway).protocol)) {
    throw new UsageError(`--gateway ${gateway}: expected a URL such as http://localhost:24300`);
  }
  if (token === undefined) {
    throw new ChatError(
      "a gateway asks who you are: set PALLAS_TOKEN, to what `pallas token` or `kubectl create token` prints",
    );
  }
  const base = withoutEndSlashes(gateway).replace(/\/mcp$/, "");
  const connection = await connectMcp({
    url: `${base}/mcp`,
    clientName,
    clientVersion,
    signal,
    connectTimeoutMs: gatewayTimeoutMs,
    headers: { Authorization: `Bearer ${token}` },
  });
  return { base, connection };
}
