// Finds loopback ports for the programs of test clusters.

import { createServer } from "node:net";

/** A loopback port that nobody listens on, below the range that systems give to outgoing connections, so that it is
 * still free after a restart. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await canListen(port)) return port;
  }
  throw new Error("expected a free port among 50 tried between 20000 and 32000, found none; end what listens there");
}

async function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
