// Agents that serve, without pods: their Deployments get the status that the controllers of Kubernetes would give them,
// and one HTTP server answers for the health of all of them.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { HealthReport } from "../../crds/health.ts";
import type { BareClient } from "./bare-client.ts";
import { agentsPath, availableWrite } from "./fleet.ts";

const servingTimeoutMs = 300_000;
const maxConcurrentWrites = 8;

/** Resolves when every agent's status has a ready replica. */
export async function bringIntoService(client: BareClient, namespace: string, names: readonly string[]): Promise<void> {
  const waiting = new Set(names);
  await using watch = await client.watch(agentsPath(namespace), ({ metadata, status }) => {
    if (status?.readyReplicas === 1) waiting.delete(metadata.name);
  });
  const write = async (): Promise<void> => {
    for (let position = 0; position < names.length; position += maxConcurrentWrites) {
      const writes = names
        .slice(position, position + maxConcurrentWrites)
        .map((name) => availableWrite(namespace, name));
      await Promise.all(writes.map(({ path, body }) => client.apply(path, body)));
    }
    const deadline = performance.now() + servingTimeoutMs;
    while (waiting.size > 0) {
      if (performance.now() > deadline) {
        throw new Error(`expected all agents in service, found ${waiting.size} that are not`);
      }
      await delay(100);
    }
  };
  await Promise.race([write(), watch.broken]);
}

export interface HealthEndpoints extends AsyncDisposable {
  /** With {namespace} and {name}. */
  readonly urlTemplate: string;
  /** Questions answered so far. */
  asked(): number;
}

/** Every agent is well, and always has been. */
export async function serveHealth(): Promise<HealthEndpoints> {
  let asked = 0;
  const server = createServer(({ url = "" }, response) => {
    asked += 1;
    const timestamp = new Date().toISOString();
    const part = { ok: true, checkedAt: timestamp };
    const report: HealthReport = {
      status: "ok",
      timestamp,
      agent: url.split("/")[2] ?? "",
      providers: { passthrough: part },
      downstreams: { search: part, files: part },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(report));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected to listen on a TCP port");
  return {
    urlTemplate: `http://127.0.0.1:${address.port}/{namespace}/{name}/health`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
