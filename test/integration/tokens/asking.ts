// A request as it goes over the wire, each header as it is given, so that one can be sent twice; and what comes back of it.
import { request, type IncomingMessage } from "node:http";

export interface Asked {
  method?: "POST" | "GET";
  /** Default: /mcp. */
  path?: string;
  /** In their order, each as often as it stands here. */
  headers: readonly (readonly [name: string, value: string])[];
}

export interface Answer {
  status: number;
  /** The sentence of a refusal; empty for anything else. */
  message: string;
  /** Of 401 and 400. */
  challenge: string;
}

export const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

export const bearer = (token: string): Asked => ({ headers: [["authorization", `Bearer ${token}`]] });

export function ask(url: string, { method = "POST", path = "/mcp", headers }: Asked): Promise<Answer> {
  const target = new URL(path, url);
  const body = method === "POST" ? JSON.stringify(initialize) : "";
  const common: Asked["headers"] = [
    ["host", target.host],
    ["accept", "application/json, text/event-stream"],
    ["content-type", "application/json"],
    ["content-length", String(Buffer.byteLength(body))],
  ];
  return new Promise((resolve, reject) => {
    const sent = request(target, { method, headers: [...common, ...headers].flat(), agent: false });
    sent.on("response", (response) => void readAnswer(response).then(resolve, reject));
    sent.on("error", reject);
    sent.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const status = response.statusCode ?? 0;
  const challenge = response.headers["www-authenticate"] ?? "";
  let text = "";
  // What it is let in to is a stream, which may stay open.
  if (status >= 400) {
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
  }
  response.destroy();
  return { status, challenge, message: status < 400 ? "" : readMessage(text) };
}

function readMessage(text: string): string {
  try {
    return String(JSON.parse(text).error.message);
  } catch {
    return `no JSON-RPC error: ${text.slice(0, 200)}`;
  }
}
