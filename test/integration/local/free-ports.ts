// Free ports in a row, for a run that takes one after the other.
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the range from which systems hand out ports by themselves. */
export async function findFreePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const servers = await Promise.allSettled(ports.map(hold));
    const held = servers.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
    if (held.length === count) return first;
  }
  throw new Error(`no ${count} free ports in a row were found in 50 tries`);
}

export async function hold(port: number): Promise<Server> {
  const server = createServer();
  server.listen({ port, host: "127.0.0.1", exclusive: true });
  await once(server, "listening");
  return server;
}
