// A wire in front of a downstream server: it notes whose token each request carried, and does to some requests what networks
// and restarted servers do. Its errors repeat what it was sent, as careless servers do.
import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { isJsonObject } from "../../../lib/mcp/json-rpc.ts";

export interface RelayedRequest {
  /** The JSON-RPC method, or the HTTP method of a request without a body. */
  method: string;
  authorization: string | undefined;
  session: string | undefined;
  isProbe: boolean;
  /** Of a tool call. */
  args: Record<string, unknown>;
}

export interface Relay {
  url: string;
  requests: RelayedRequest[];
  stop(): Promise<void>;
}

/** Relays to `url`; every n-th tool call is answered as if its session were lost, fails with an echo, or is cut off. */
export async function startRelay(url: string, { faultEvery = 0 } = {}): Promise<Relay> {
  const requests: RelayedRequest[] = [];
  let calls = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const seen = readRequest(request, body);
    requests.push(seen);
    const fault = seen.method === "tools/call" && faultEvery > 0 && (calls += 1) % faultEvery === 0 ? calls % 3 : 0;
    if (fault === 1 && seen.session !== undefined) {
      response.writeHead(404).end("Session not found");
    } else if (fault === 2) {
      response.writeHead(500).end(`cannot do ${body.toString("utf8")} for ${seen.authorization}`);
    } else if (fault !== 0) {
      request.socket.destroy();
    } else {
      const { method, headers } = request;
      // No sockets kept: one that the server closes meanwhile would be a fault of the relay's own.
      const options = { method, agent: false as const, headers: { ...headers, host: new URL(url).host } };
      const onward = forward(url, options, (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
      });
      onward.on("error", () => response.destroy());
      response.on("close", () => onward.destroy());
      onward.end(body);
    }
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readRequest({ method = "", headers }: IncomingMessage, body: Buffer): RelayedRequest {
  const message: unknown = body.length === 0 ? undefined : JSON.parse(body.toString("utf8"));
  const { method: rpcMethod, params } = asObject(message);
  const session = headers["mcp-session-id"];
  return {
    method: typeof rpcMethod === "string" ? rpcMethod : method,
    authorization: headers.authorization,
    session: typeof session === "string" ? session : undefined,
    isProbe: asObject(asObject(params)["clientInfo"])["name"] === "pallas-probe",
    args: asObject(asObject(params)["arguments"]),
  };
}

const asObject = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {});
