// The tester beside REST, over the servers of an instance.
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { roles, type Role } from "../../lib/auth/roles.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import type { Mode } from "../../plan/rules.ts";
import { openPolicy } from "../policy/testing/open-policy.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { createRestApp } from "../rest/routes.ts";
import { createServerWrites } from "../rest/server-writes.ts";
import type { LogEntry, Said } from "../servers/call-log.ts";
import { findAddress } from "../state/servers.ts";
import { localWrites } from "../writes/local-writes.ts";
import { openServerScene } from "../testing/server-scene.ts";
import { serverResource } from "../testing/resources.ts";
import { createInstanceTester } from "./instance-tester.ts";
import { startTried } from "./testing/tried-servers.ts";

async function open(spec: object = {}, mode: Mode = "cluster") {
  const tried = await startTried("2025");
  const { servers, calls, state, browser } = openServerScene();
  const version = "1";
  const log = createLogger({ logger: "test", level: "ERROR" });
  const common = { servers, calls, writesFor: localWrites, version, log, clock: systemClock };
  const tester = createInstanceTester({
    ...common,
    policy: openPolicy(),
    state: {
      ...state,
      getServerAddress(name) {
        const known = state.getServer(name);
        return known && findAddress(known);
      },
    },
    management: "approve",
    mode,
  });
  onTestFinished(() => tester.close());
  const rest = createRestApp({
    ...common,
    policy: openPolicy(),
    callTool: tester.callTool,
    browser,
    serverWrites: createServerWrites({ state, writesFor: localWrites, rules: { mode } }),
    readErrorLog: async () => ({ kind: "none" }),
    observePrereqs: async () => ({ npx: false, uvx: false, docker: false, uv: false }),
  });
  const app = new Hono<GatewayRoutes>();
  app.use(async (c, next) => {
    const role = roles.find((each) => each === c.req.header("x-role")) ?? "caller";
    c.set("caller", {
      kind: "person",
      subject: c.req.header("x-subject") ?? "alice",
      name: c.req.header("x-subject") ?? "alice",
      groups: [],
      role,
    });
    await next();
  });
  app.route("/", rest);
  app.route("/", tester.routes);
  state.put(serverResource("tried", { remote: { url: tried.url }, ...spec }));
  const heard: { entry: LogEntry; said: Said | undefined }[] = [];
  calls.onEntry((entry, said) => void heard.push({ entry, said }));
  return {
    servers,
    calls,
    tried,
    heard,
    async ask(method: string, path: string, body?: object, role: Role = "caller") {
      const json = body && JSON.stringify(body);
      const headers = {
        "x-role": role,
        ...(json !== undefined && { "content-type": "application/json", "content-length": String(json.length) }),
      };
      const answer = await app.request(
        `http://gateway${path}`,
        { method, headers, ...(json !== undefined && { body: json }) },
        {},
      );
      const answered: unknown = await answer.json();
      return { status: answer.status, body: Object(answered) };
    },
  };
}

describe("DSC-9 beside REST", () => {
  it("a call of REST runs in the caller's session: what the server asks is answered by hand, and the call is counted once", async () => {
    const { ask, servers, calls, heard } = await open();
    await expect.poll(() => servers.all()[0]?.tools?.length, { timeout: 10_000 }).toBeGreaterThan(5);
    const called = ask("POST", "/api/servers/tried/call", { tool: "ask" });
    const list = async () => (await ask("GET", "/api/servers/tried/elicitations")).body.entries;
    await expect.poll(list, { timeout: 10_000 }).toHaveLength(1);
    const [{ id }] = await list();
    // Whoever follows live need not look for it, and is not told more than that there is something.
    const told = heard.map(({ said }) => said);
    expect(told).toContainEqual({ method: "elicitation/create", params: {} });
    await ask("POST", `/api/elicitations/${id}/respond`, { action: "accept", content: { name: "Ann" } });
    const { status, body } = await called;
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain("Ann");
    expect(calls.page(10, 0, () => true)).toMatchObject({
      total: 1,
      entries: [{ kind: "call", tool: "ask", caller: "alice" }],
    });
    expect(servers.metersOf("tried")).toMatchObject([{ tool: "ask", calls: 1, errors: 0 }]);
  });

  it("a failed call says so as every other does", async () => {
    const { ask, servers } = await open();
    await expect.poll(() => servers.all()[0]?.tools?.length, { timeout: 10_000 }).toBeGreaterThan(5);
    const { status, body } = await ask("POST", "/api/servers/tried/call", { tool: "huge" });
    expect(status).toBe(502);
    expect(body).toHaveProperty("did_you_mean");
    expect(servers.metersOf("tried")).toMatchObject([{ tool: "huge", errors: 1 }]);
  });

  it("reading and asking is in the log; what servers say goes only to those who follow it, as it was", async () => {
    const { ask, calls, heard } = await open();
    await ask("POST", "/api/servers/tried/resource/read", { uri: "test://1" });
    await ask("POST", "/api/servers/tried/logging-level", { level: "info" });
    await ask("POST", "/api/servers/tried/call", { tool: "steps" });
    await ask("POST", "/api/servers/tried/call", { tool: "log" });
    expect(heard.map(({ said }) => said)).toEqual(
      expect.arrayContaining([
        { token: expect.anything(), progress: { progress: 1, total: 2, message: "step 1" } },
        { method: "notifications/message", params: { level: "info", data: "hello \u001B[31m" } },
      ]),
    );
    expect(heard.every(({ entry }) => entry.caller === "alice")).toBe(true);
    const { entries } = calls.page(10, 0, () => true);
    expect(entries.map(({ kind }) => kind)).toEqual(["call", "call", "resource-read"]);
  });

  it("what was asked of a caller's own server is in nobody's log", async () => {
    const { ask, calls, tried } = await open();
    const { body } = await ask("POST", "/api/transient", { url: tried.url });
    await ask("POST", `/api/transient/${body.handle}/call`, { tool: "echo" });
    expect(calls.page(10, 0, () => true).total).toBe(0);
  });

  it("a server is found by its number, and shows only the tools that are offered", async () => {
    const { ask, servers } = await open({ tools: { allow: ["e*"] } });
    await expect.poll(() => servers.all()[0]?.tools, { timeout: 10_000 }).toHaveLength(1);
    const { body } = await ask("GET", `/api/servers/${servers.all()[0]?.id}/tools`);
    expect(body.tools).toMatchObject([{ name: "echo" }]);
    expect(body.tools).toHaveLength(1);
  });

  it("a server that is not active is 409", async () => {
    const { ask } = await open({ active: false });
    expect((await ask("GET", "/api/servers/tried/info")).status).toBe(409);
  });

  it.each([
    ["cluster" as const, 403, "set it to readWrite"],
    ["local" as const, 422, "a PallasServer with local"],
  ])("a command in mode %s without rights is %s, with the cure", async (mode, status, sentence) => {
    const { ask } = await open({}, mode);
    const answer = await ask("POST", "/api/transient", { command: "npx", args: ["-y", "x"] }, "operator");
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(sentence);
  });
});
