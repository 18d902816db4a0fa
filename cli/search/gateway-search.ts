// Asks a running gateway's `registry` tool for the tools that a request means. Changes nothing there.
import * as z from "zod";
import { ChatError } from "../chat/chat-error.ts";
import { connectGateway, gatewayTimeoutMs, type GatewayOptions } from "../chat/gateway-connection.ts";
import { plainLine } from "../plain-text.ts";
import type { SearchAnswer } from "./answer.ts";

const line = z.string().max(4_096).transform(plainLine);
const score = z.number().min(0).max(1);
const match = z.object({ call_as: line, description: line, score });
const others = z.array(match).max(100);
const answerSchema = z.union([
  match.extend({ found: z.literal(true), confidence: line, other_matches: others }),
  z.object({ found: z.literal(false), hint: line, other_matches: others.default([]) }),
]);

const renderMatch = ({ call_as: name, description, score: own }: z.output<typeof match>) => ({
  name,
  description,
  score: own,
});

/**
 * What the token's owner may call and the text means, best first.
 * @throws ChatError without a token or when it is not a gateway with that tool, McpError when it cannot be asked, UsageError for a
 *   URL that is none
 */
export async function searchGateway(text: string, limit: number, options: GatewayOptions): Promise<SearchAnswer> {
  const { base, connection } = await connectGateway({ ...options, clientName: "pallas-search" });
  try {
    const { signal } = options;
    const { isError, content, structuredContent } = await connection.callTool(
      "registry",
      { action: "find_tool", query: text, limit, auto_activate: false },
      { signal, idleTimeoutMs: gatewayTimeoutMs, totalTimeoutMs: gatewayTimeoutMs },
    );
    if (isError === true) {
      const said = content.flatMap((part) => (part["type"] === "text" ? [part["text"]] : [])).join(" ");
      throw new ChatError(`the gateway at ${base} refused: ${plainLine(said)}`);
    }
    const parsed = answerSchema.safeParse(structuredContent);
    if (!parsed.success) {
      const problem = `what answers at ${base}/mcp has no tool registry that finds tools; correct --gateway`;
      throw new ChatError(problem, { cause: parsed.error });
    }
    const { data } = parsed;
    const nearest = data.other_matches.map(renderMatch);
    if (!data.found) return { confidence: "none", hint: data.hint, matches: nearest };
    return { confidence: data.confidence, matches: [renderMatch(data), ...nearest] };
  } finally {
    await connection.close();
  }
}
