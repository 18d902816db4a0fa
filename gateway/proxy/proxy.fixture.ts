// A proxy on loopback for tests, with agents that are said to be somewhere, and callers named by a header.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { openPolicy } from "../policy/testing/open-policy.ts";
import { createProxy, type ProxiedCall, type ProxyParts } from "./proxy.ts";

/** By the header `x-caller`. */
export const callers: Readonly<Record<string, Identity>> = {
  ann: { kind: "person", subject: "ann", name: "ann ✓", groups: [], role: "caller" },
  bob: { kind: "person", subject: "bob", name: "bob", groups: [], role: "admin" },
  viewer: { kind: "person", subject: "viewer", name: "viewer", groups: [], role: "viewer" },
  nobody: { kind: "person", subject: "nobody", name: "nobody", groups: [] },
  narrow: { kind: "person", subject: "narrow", name: "narrow", groups: [], role: "caller", agents: ["research-*"] },
  clerk: { kind: "agent", subject: "clerk", agent: "clerk", name: "agent:clerk" },
  ghost: { kind: "agent", subject: "ghost", agent: "ghost", name: "agent:ghost" },
};

export const instance = (): PallasInstance => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasInstance",
  metadata: { name: "team", namespace: "agents" },
  spec: { version: "1.0.0", registryNamespace: "com.example", defaultModel: "passthrough" },
});

export const agentNamed = (name: string, available?: "True" | "False"): PallasAgent => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasAgent",
  metadata: { name, namespace: "agents" },
  spec: { instanceRef: { name: "team" }, emitLoopProgress: true, replicas: 1 },
  ...(available && {
    status: {
      conditions: [{ type: "Available", status: available, reason: "Available", message: "", lastTransitionTime: "" }],
    },
  }),
});

interface Place {
  mcpUrl: string;
  adminUrl: string;
}

export interface TestProxy {
  url: string;
  ended: ProxiedCall[];
  count(): number;
  stop(): Promise<void>;
}

/** `clerk` and `research-a` are where `place` says. */
export async function startProxy(
  place: Place | undefined,
  changes: Partial<ProxyParts> & { identities?: Readonly<Record<string, Identity>>; clock?: Clock } = {},
): Promise<TestProxy> {
  const ended: ProxiedCall[] = [];
  const log = createLogger({ logger: "test", level: "SILENT", destination: { write: () => undefined } });
  const agents = new Map(["clerk", "research-a"].map((name) => [name, agentNamed(name)]));
  const proxy = createProxy({
    policy: openPolicy(),
    agents: { getInstance: instance, getAgent: (name) => agents.get(name), getEndpoint: () => place },
    issuer: undefined,
    readAgentsToken: async () => "of the gateway",
    maxBodyBytes: 1_000,
    callTimeoutMs: 20_000,
    onEnd: (call) => void ended.push(call),
    log,
    clock: systemClock,
    ...changes,
  });
  const app = new Hono<GatewayRoutes>();
  app.use(async (context, next) => {
    const caller = (changes.identities ?? callers)[context.req.header("x-caller") ?? ""];
    if (caller !== undefined) context.set("caller", caller);
    await next();
  });
  app.route("/", proxy.app);
  app.all("/mcp", (context) => context.text("management"));
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const stop = async () => {
    await proxy.close();
    await server.close({ graceMs: 0 });
  };
  return { url: server.url, ended, count: proxy.count, stop };
}

export interface TestUpstream extends Place {
  seen: IncomingMessage[];
  stop(): Promise<void>;
}

/** Any server at all, as an agent's. */
export async function startUpstream(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<TestUpstream> {
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming);
    answer(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port }: Partial<AddressInfo> = Object(server.address());
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { mcpUrl: `${url}/mcp`, adminUrl: url, seen, stop };
}
