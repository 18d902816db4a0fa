// The agents that a gateway shows to whoever holds a token, each at its place behind that gateway: for callers who cannot reach
// the agents themselves, as from outside a cluster. It asks once and keeps nothing.
import * as z from "zod";
import { connectMcp } from "../../lib/mcp/connect.ts";
import { withoutEndSlashes } from "../../lib/process/end-slashes.ts";
import { UsageError } from "../manifests/find-files.ts";
import { plainLine } from "../plain-text.ts";
import type { ListedAgent } from "./catalogue.ts";
import { ChatError } from "./chat-error.ts";

const timeoutMs = 10_000;

const line = z.string().transform(plainLine);
const answerSchema = z.object({
  agents: z.array(
    z.object({
      id: z.string().regex(/^[a-z0-9-]{1,63}$/),
      title: line,
      description: line.optional(),
      ready: z.boolean(),
      message: line.optional(),
    }),
  ),
});

export interface GatewayOptions {
  /** Its URL, with `/mcp` or without. */
  gateway: string;
  token: string | undefined;
  clientVersion: string;
  signal: AbortSignal;
}

/**
 * All agents that the token's owner may see, by name (MGM-1).
 * @throws ChatError without a token or when it is not a gateway, McpError when it cannot be asked, UsageError for a URL that is none
 */
export async function listGatewayAgents({
  gateway,
  token,
  clientVersion,
  signal,
}: GatewayOptions): Promise<ListedAgent[]> {
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
    clientName: "pallas-chat",
    clientVersion,
    signal,
    connectTimeoutMs: timeoutMs,
    headers: { Authorization: `Bearer ${token}` },
  });
  try {
    const options = { signal, idleTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs };
    const { structuredContent } = await connection.callTool("agents_list", {}, options);
    const answer = answerSchema.safeParse(structuredContent);
    if (!answer.success) {
      throw new ChatError(`what answers at ${base}/mcp is not a Pallas gateway; correct --gateway`, {
        cause: answer.error,
      });
    }
    return answer.data.agents.map(({ id, title, description = title, ready, message }) => ({
      name: id,
      wholeName: id,
      description,
      url: `${base}/proxy/${id}/mcp`,
      isReady: ready,
      reason: message,
    }));
  } finally {
    await connection.close();
  }
}
