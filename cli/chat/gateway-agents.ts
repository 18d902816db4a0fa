// The agents that a gateway shows to whoever holds a token, each at its place behind that gateway: for callers who cannot reach
// the agents themselves, as from outside a cluster. It asks once and keeps nothing.
import * as z from "zod";
import { plainLine } from "../plain-text.ts";
import type { ListedAgent } from "./catalogue.ts";
import { ChatError } from "./chat-error.ts";
import { connectGateway, gatewayTimeoutMs, type GatewayOptions } from "./gateway-connection.ts";

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
  const { base, connection } = await connectGateway({
    gateway,
    token,
    clientVersion,
    signal,
    clientName: "pallas-chat",
  });
  try {
    const options = { signal, idleTimeoutMs: gatewayTimeoutMs, totalTimeoutMs: gatewayTimeoutMs };
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
