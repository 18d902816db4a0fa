// The fixture agent: the shipped transport code (listener, host guard, both eras) with the suite's fixtures on it.
import { serveMcp } from "../../lib/mcp/serve.ts";
import { guardHosts, loopbackHosts } from "../../lib/process/http-guard.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { Hono } from "hono";
import { extend2025 } from "./fixture-2025.ts";
import { extend2026 } from "./fixture-2026.ts";
import { fixtureTable } from "./fixture-table.ts";

/** Starts it on a free port of loopback. */
export async function startFixtureServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const log = createLogger({ logger: "fixtures", level: "SILENT" });
  const endpoint = serveMcp(fixtureTable, {
    log,
    bodyLimitBytes: 1_000_000,
    callers: "anyone",
    sessions: { idleTtlMs: 60_000, max: 100 },
    extension: { extend2025, extend2026 },
  });
  const app = new Hono().use(guardHosts({ allowedHosts: loopbackHosts, allowedOrigins: [] }));
  app.mount("/", endpoint.app.fetch);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  return {
    url: `${server.url}/mcp`,
    async stop() {
      await endpoint.close();
      await server.close({ graceMs: 0 });
    },
  };
}
