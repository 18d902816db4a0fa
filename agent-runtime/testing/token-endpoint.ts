// An OAuth token endpoint for tests: it grants token-1, token-2 … and remembers who asked, or refuses as it is told.
import { listen } from "../../lib/process/http-server.ts";
import { createTestLog } from "./servers.ts";

export interface TokenEndpoint {
  url: string;
  /** The secret shown with each request. */
  secrets: string[];
  /** The OAuth error that it answers with; undefined grants. */
  error: string | undefined;
  stop(): Promise<void>;
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const answer = async (request: Request) => {
    const basic = request.headers.get("authorization")?.replace("Basic ", "") ?? "";
    endpoint.secrets.push(Buffer.from(basic, "base64").toString("utf8").split(":")[1] ?? "");
    if (endpoint.error !== undefined) return Response.json({ error: endpoint.error }, { status: 400 });
    return Response.json({ access_token: `token-${endpoint.secrets.length}`, token_type: "Bearer", expires_in: 3_600 });
  };
  const { log } = createTestLog("SILENT");
  const server = await listen(answer, { port: 0, hostname: "127.0.0.1", log });
  const endpoint: TokenEndpoint = {
    url: `${server.url}/token`,
    secrets: [],
    error: undefined,
    stop: async () => void (await server.close({ graceMs: 0 })),
  };
  return endpoint;
}
