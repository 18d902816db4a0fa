// Loopback ports for the programs that tests start.
import { once } from "node:events";
import { createServer, type Server } from "node:net";

const lowest = 25_000;
const span = 7_000;

/**
 * So many ports in a row that nobody has. They are above those of the quickstart and below those that systems hand out by
 * themselves, so that what is let go here, or by a program that is started anew, is nobody's for a moment.
 * @returns the first
 */
export async function findFreePorts(count = 1): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const first = lowest + Math.floor(Math.random() * (span - count));
    const servers = await Promise.allSettled(Array.from({ length: count }, (_, index) => hold(first + index)));
    const held = servers.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
    if (held.length === count) return first;
  }
  throw new Error(
    `expected ${count} free ports in a row from ${lowest} on, found none in 50 tries; end what listens there`,
  );
}

/** Listens there until it is closed. Rejects when somebody else does. */
export async function hold(port: number): Promise<Server> {
  const server = createServer();
  server.listen({ port, host: "127.0.0.1", exclusive: true });
  await once(server, "listening");
  return server;
}
