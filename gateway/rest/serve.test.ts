// Tool servers put together from a gateway's configuration: what it says of the log holds for every way to
// read it, and what is refused before it goes out to a server is no call of it.
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { roles } from "../../lib/auth/roles.ts";
import { systemClock as clock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { openPolicy } from "../policy/testing/open-policy.ts";
import { createBrowser } from "../discovery/browse/browser.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { collectServers } from "../state/servers.ts";
import { testConfig } from "../testing/resources.ts";
import { echoTool, remoteServer, startMcpServer } from "../testing/server-scene.ts";
import { emptyState } from "../testing/served-gateway.ts";
import { localWrites } from "../writes/local-writes.ts";
import { serveToolServers } from "./serve.ts";

const args = { path: "/a", token: "sk-1" };

/** Whoever asks as a role, of a server that is there or has no address yet, and the gateway's own log. */
async function serve(changes: Partial<GatewayConfig>, hasAddress = true) {
  const { url } = await startMcpServer([echoTool("read")]);
  const known = collectServers(undefined, [remoteServer("files", url)]);
  const state = {
    ...emptyState(() => undefined),
    listServers: () => known.list,
    getServer: known.get,
    getServerAddress: () => (hasAddress ? { url, headers: [], forwardInboundAuth: false } : undefined),
  };
  const lines: string[] = [];
  const log = createLogger({ logger: "test", level: "DEBUG", destination: { write: (line) => void lines.push(line) } });
  const served = serveToolServers({
    policy: openPolicy(),
    config: testConfig(changes),
    place: { state, writesFor: localWrites },
    rules: { mode: "local" },
    browser: createBrowser({ readSources: async () => [], clock }),
    metrics: { countToolCall: () => undefined },
    approvals: { list: () => [], onChange: () => () => undefined },
    log,
    clock,
  });
  onTestFinished(served.close);
  const app = new Hono<GatewayRoutes>();
  app.use(async (c, next) => {
    const role = roles.find((each) => each === c.req.header("x-role"));
    c.set("caller", { kind: "person", subject: "alice", name: "alice", groups: [], ...(role && { role }) });
    await next();
  });
  for (const routes of served.routes) app.route("/", routes);
  const ask = async (role: string, path: string, body?: object) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return await app.request(path, { headers: { "x-role": role, "content-type": "application/json" }, ...init }, {});
  };
  const json = async (role: string, path: string) => await (await ask(role, path)).json();
  return { ask, json, lines };
}

const callPath = "/api/servers/files/call";

async function logAfterCall(changes: Partial<GatewayConfig>) {
  const { ask, json, lines } = await serve(changes);
  const answer = await ask("caller", callPath, { tool: "read", args });
  expect(await answer.json()).toMatchObject({ content: [{ text: JSON.stringify(args) }] });
  return { read: async (role: string) => (await json(role, "/api/logs")).entries[0], lines };
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

describe("DSC-8 DSC-11 a call that never went out", () => {
  it("says when to come again, and is counted nowhere", async () => {
    const { ask, json } = await serve({}, false);
    const answer = await ask("caller", callPath, { tool: "read" });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await json("viewer", "/api/servers/files/metrics")).toEqual([]);
    expect(await json("viewer", "/api/logs")).toEqual({ entries: [], total: 0 });
    expect(await json("viewer", "/api/servers/files")).toMatchObject({ error_count: 0 });
  });
});
