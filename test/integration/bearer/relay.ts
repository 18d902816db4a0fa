// A wire in front of a downstream server: it notes whose token each request carried, and does to some requests what networks
// and restarted servers do. Its errors repeat what it was sent, as careless servers do.
import type { IncomingMessage } from "node:http";
import { isJsonObject } from "../../../lib/mcp/json-rpc.ts";
import { passOn, startWire, type Wire } from "../wire.ts";

export interface RelayedRequest {
  /** The JSON-RPC method, or the HTTP method of a request without a body. */
  method: string;
  authorization: string | undefined;
  session: string | undefined;
  isProbe: boolean;
  /** Of a tool call. */
  args: Record<string, unknown>;
}

export interface Relay extends Wire {
  requests: RelayedRequest[];
}

/** Relays to `url`; every n-th tool call is answered as if its session were lost, fails with an echo, or is cut off. */
export async function startRelay(url: string, { faultEvery = 0 } = {}): Promise<Relay> {
  const requests: RelayedRequest[] = [];
  let calls = 0;

  const wire = await startWire((exchange) => {
    const { request, response, body } = exchange;
    const seen = readRequest(request, body);
    requests.push(seen);
    const problem = seen.method === "tools/call" && faultEvery > 0 && (calls += 1) % faultEvery === 0 ? calls % 3 : 0;
    if (problem === 1 && seen.session !== undefined) {
      response.writeHead(404).end("Session not found");
    } else if (problem === 2) {
      response.writeHead(500).end(`cannot do ${body.toString("utf8")} for ${seen.authorization}`);
    } else if (problem !== 0) {
      request.socket.destroy();
    } else {
      passOn(exchange, url);
    }
  });
  return { ...wire, requests };
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
