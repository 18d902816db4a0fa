// A downstream MCP server of the 2025 era, written without any SDK, whose answers to a method a test can twist: into another
// result, or into any response at all.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createTestLog } from "./servers.ts";

/** What a method is answered with: a result, or a whole response. */
export type Twist = (params: unknown) => object | Response;

export interface TwistedServer {
  readonly url: string;
  twists: Record<string, Twist>;
  readonly authorizations: (string | null)[];
  stop(): Promise<void>;
}

const answers: Record<string, Twist> = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "twisted", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [{ name: "read", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "read it" }] }),
};

/** It has one tool, `read`, where nothing else is said. */
export async function startTwistedServer(twists: Record<string, Twist> = {}): Promise<TwistedServer> {
  const authorizations: (string | null)[] = [];
  const fetch = async (request: Request) => {
    authorizations.push(request.headers.get("authorization"));
    const message: unknown = request.method === "POST" ? await request.json() : undefined;
    if (!isJsonObject(message)) return new Response(null, { status: 405 });
    const { id, method, params } = message;
    const answer = server.twists[String(method)] ?? answers[String(method)];
    if (id === undefined) return new Response(null, { status: 202 });
    const error = { code: -32_601, message: "Method not found" };
    if (answer === undefined) return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
    const answered = answer(params);
    return answered instanceof Response ? answered : Response.json({ jsonrpc: "2.0", id, result: answered });
  };
  const { log } = createTestLog("SILENT");
  const listening = await listen(fetch, { port: 0, hostname: "127.0.0.1", log });
  const stop = async () => void (await listening.close({ graceMs: 0 }));
  const server: TwistedServer = { url: `${listening.url}/mcp`, twists, authorizations, stop };
  return server;
}
