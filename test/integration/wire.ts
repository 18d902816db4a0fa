// A wire in front of an MCP server: it takes each request whole, and its owner answers, breaks it or passes it on.
import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";

export interface Wire {
  url: string;
  stop(): Promise<void>;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
}

/** Listens on loopback; `answer` decides what becomes of each request. */
export async function startWire(answer: (exchange: Exchange) => void): Promise<Wire> {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    answer({ request, response, body: Buffer.concat(chunks) });
  };
  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Passes a request on to `url`. `send` sends the answer's body; by default all of it. */
export function passOn(
  { request: { method, headers }, response, body }: Exchange,
  url: string,
  send: (answered: IncomingMessage) => void = (answered) => answered.pipe(response),
): void {
  // No sockets kept: one that the server closes meanwhile would be a problem of the wire's own.
  const options = { method, agent: false as const, headers: { ...headers, host: new URL(url).host } };
  const onward = forward(url, options, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    send(answered);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  onward.end(body);
}
