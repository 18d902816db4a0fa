// The gateway's proxy alone, in front of one agent, with a caller who is known already. Started as
// `node gateway-proxy.js PORT AGENT_URL`.
import { Hono } from "hono";
import { createProxy } from "../../../gateway/proxy/proxy.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { systemClock } from "../../../lib/process/clock.ts";
import { listen, type ServerEnv } from "../../../lib/process/http-server.ts";
import { createLogger } from "../../../lib/process/log.ts";

const [port, url = ""] = process.argv.slice(2);
const log = createLogger({ logger: "bench", level: "WARNING" });
const proxy = createProxy({
  agents: {
    getInstance: () => ({
      apiVersion: "pallas.helu.ca/v1alpha1",
      kind: "PallasInstance",
      metadata: { name: "bench", namespace: "agents" },
      spec: { version: "1.0.0", registryNamespace: "com.example", defaultModel: "passthrough" },
    }),
    getAgent: (name) => ({
      apiVersion: "pallas.helu.ca/v1alpha1",
      kind: "PallasAgent",
      metadata: { name, namespace: "agents" },
      spec: { instanceRef: { name: "bench" }, emitLoopProgress: true, replicas: 1 },
    }),
    getEndpoint: () => ({ mcpUrl: `${url}/mcp`, adminUrl: url }),
  },
  issuer: undefined,
  readAgentsToken: async () => "of the gateway",
  maxBodyBytes: 32 * 1024 * 1024,
  callTimeoutMs: 60_000,
  log,
  clock: systemClock,
});
const caller: Identity = { kind: "person", subject: "bench", role: "caller" };
const app = new Hono<{ Bindings: ServerEnv; Variables: { caller?: Identity } }>();
app.use(async (context, next) => {
  context.set("caller", caller);
  await next();
});
app.route("/", proxy.app);
await listen(app.fetch, { port: Number(port), hostname: "127.0.0.1", log });
