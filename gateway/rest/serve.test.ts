// Tool servers put together from a gateway's configuration: what it says of the log holds for every way to read it.
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { roles } from "../../lib/auth/roles.ts";
import { systemClock as clock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { collectServers } from "../state/servers.ts";
import { testConfig } from "../testing/resources.ts";
import { echoTool, remoteServer, startMcpServer } from "../testing/server-scene.ts";
import { emptyState } from "../testing/served-gateway.ts";
import { localWrites } from "../writes/local-writes.ts";
import { serveToolServers } from "./serve.ts";

const args = { path: "/a", token: "sk-1" };

/** After a call of a server's tool with arguments, who reads the log as which role, and the gateway's own log. */
async function logAfterCall(changes: Partial<GatewayConfig>) {
  const { url } = await startMcpServer([echoTool("read")]);
  const known = collectServers(undefined, [remoteServer("files", url)]);
  const state = {
    ...emptyState(() => undefined),
    listServers: () => known.list,
    getServer: known.get,
    getServerAddress: () => ({ url, headers: [], forwardInboundAuth: false }),
  };
  const lines: string[] = [];
  const log = createLogger({ logger: "test", level: "DEBUG", destination: { write: (line) => void lines.push(line) } });
  const served = serveToolServers({
    config: testConfig(changes),
    place: { state, writesFor: localWrites },
    rules: { mode: "local" },
    metrics: { countToolCall: () => undefined },
    log,
    clock,
  });
  onTestFinished(served.close);
  const app = new Hono<GatewayRoutes>();
  app.use(async (c, next) => {
    const role = roles.find((each) => each === c.req.header("x-role"));
    c.set("caller", { kind: "person", subject: "alice", ...(role && { role }) });
    await next();
  });
  for (const routes of served.routes) app.route("/", routes);
  const ask = async (role: string, path: string, body?: object) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await app.request(
      path,
      { headers: { "x-role": role, "content-type": "application/json" }, ...init },
      {},
    );
    return await answer.json();
  };
  expect(await ask("caller", "/api/servers/files/call", { tool: "read", args })).toMatchObject({
    content: [{ text: JSON.stringify(args) }],
  });
  const read = async (role: string) => (await ask(role, "/api/logs")).entries[0];
  return { read, lines };
}

describe("DSC-11 arguments and answers of calls", () => {
  it("are kept nowhere unless the instance says so", async () => {
    const { read, lines } = await logAfterCall({});
    for (const role of ["viewer", "admin"]) expect(await read(role)).toMatchObject({ args: null, response: null });
    expect(lines.join("")).not.toMatch(/sk-1|\/a"/);
  });

  it("are kept without secrets where it does, for approvers to read, and in no line of the program's log", async () => {
    const { read, lines } = await logAfterCall({ log: { arguments: "redacted" } });
    expect(await read("approver")).toMatchObject({
      args: { path: "/a", token: "[redacted]" },
      response: '{"path":"/a","token":"[redacted]"}',
    });
    expect(await read("caller")).toMatchObject({ tool: "read", args: null, response: null });
    expect(lines.join("")).not.toMatch(/sk-1|\/a"/);
    expect(lines.join("")).toContain("tool called");
  });
});
