// A wire to a downstream MCP server that breaks by chance, in every way that networks and servers have.
import { passOn, startWire, type Wire } from "../wire.ts";
import type { Chance } from "./chance.ts";

const faults = ["reset", "error", "garbage", "lost session", "hang", "cut"] as const;
export type WireFault = (typeof faults)[number];

export interface FaultyWire extends Wire {
  /** How often each fault was done. */
  done: Record<WireFault, number>;
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
  const wire = await startWire((exchange) => {
    const { request, response, body } = exchange;
    const fault = pickFault(body.toString("utf8"));
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
        return passOn(exchange, url, (answered) => {
          answered.once("data", (bytes: Buffer) => response.write(bytes.subarray(0, 8), () => response.destroy()));
        });
      case "none":
        return passOn(exchange, url);
    }
  });
  return { ...wire, done };
}
