/** A wire to a downstream MCP server that breaks by chance, in every way that networks and servers have. */
import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { Chance } from "./seeded-random.ts";

const faults = ["reset", "error", "garbage", "lost session", "hang", "cut"] as const;
export type WireFault = (typeof faults)[number];

export interface FaultyWire {
  url: string;
  /** How often each fault was done. */
  done: Record<WireFault, number>;
  stop(): Promise<void>;
}

/** In a thousand requests; a tool call is hit ten times as often as any other request. */
const perThousand: Readonly<Record<WireFault, number>> = {
  reset: 4,
  error: 4,
  garbage: 4,
  "lost session": 2,
  hang: 1,
  cut: 4,
};

/** Leads to the server at `url`. */
export async function startFaultyWire(url: string, chance: Chance): Promise<FaultyWire> {
  const done: FaultyWire["done"] = { reset: 0, error: 0, garbage: 0, "lost session": 0, hang: 0, cut: 0 };

  const pickFault = (body: string): WireFault | "none" => {
    const share = body.includes('"tools/call"') ? 10 : 1;
    const faulty = share * faults.reduce((sum, fault) => sum + perThousand[fault], 0);
    return chance.next() * 1_000 < faulty ? chance.pick(perThousand) : "none";
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    const fault = pickFault(body);
    if (fault !== "none") done[fault] += 1;
    switch (fault) {
      case "reset":
        return void request.socket.resetAndDestroy();
      case "error":
        return void response.writeHead(500).end("broken");
      case "garbage":
        return void response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0","id":');
      case "lost session":
        return void response.writeHead(404).end("Session not found");
      case "hang":
        return;
      case "cut":
      case "none":
        return relay(request, response, { url, body, cut: fault === "cut" });
    }
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    done,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Passes a request on; `cut` ends its answer after the first bytes. */
function relay(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { url, body, cut }: { url: string; body: string; cut: boolean },
): void {
  // No sockets kept: one that the server closes meanwhile would be a fault of the wire's own.
  const options = { method, agent: false as const, headers: { ...headers, host: new URL(url).host } };
  const onward = forward(url, options, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    if (cut) answered.once("data", (bytes: Buffer) => response.write(bytes.subarray(0, 8), () => response.destroy()));
    else answered.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  onward.end(body);
}
