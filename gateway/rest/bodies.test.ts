// What REST refuses, and with which status: bodies of any kind, names that are taken, roles that are too low, servers that are not
// for the caller, and what the instance does not allow.
import { describe, expect, it } from "vitest";
import { serverResource } from "../testing/resources.ts";
import { echoTool, openServerScene, remoteServer, serverUrl, startMcpServer } from "../testing/server-scene.ts";
import { maxBodyBytes } from "./answers.ts";

const npx = { command: "npx", args: ["-y", "pkg"] };

describe("DSC-8 SEC-6 a body", () => {
  it.each([
    "",
    "{",
    "[]",
    '"x"',
    "null",
    "7",
    "\u0000",
    "[".repeat(100_000),
    '{"a":'.repeat(65) + "1" + "}".repeat(65),
  ])("that is no JSON object is 400: %.30j", async (raw) => {
    const { ask } = openServerScene();
    expect(await ask("POST", "/api/servers", { raw })).toMatchObject({ status: 400, body: { error: "bad_request" } });
  });

  it("is read up to its limit; one byte more is 413", async () => {
    const { ask } = openServerScene();
    const bare = JSON.stringify({ name: "" }).length;
    const sized = (bytes: number) => JSON.stringify({ name: "a".repeat(bytes - bare) });
    expect((await ask("POST", "/api/servers", { raw: sized(maxBodyBytes) })).status).toBe(422);
    expect((await ask("POST", "/api/servers", { raw: sized(maxBodyBytes + 1) })).status).toBe(413);
  });

  it.each<[string, object]>([
    ["name", { ...npx }],
    ["name", { ...npx, name: "" }],
    ["name", { ...npx, name: "a__b" }],
    ["name", { ...npx, name: "\u001b[31mred" }],
    ["name", { ...npx, name: "a".repeat(64) }],
    ["name", { ...npx, name: 7 }],
    ["command", { name: "a" }],
    ["command", { name: "a", command: "" }],
    ["command", { name: "a", command: "np\nx" }],
    ["command", { name: "a", ...npx, url: "http://a.example.com/mcp" }],
    ["args", { name: "a", command: "npx", args: "-y pkg" }],
    ["args", { name: "a", command: "npx", args: [] }],
    ["args.0", { name: "a", command: "npx", args: [7] }],
    ["url", { name: "a", url: "file:///etc/passwd" }],
    ["url", { name: "a", transport: "streamable-http" }],
    ["transport", { name: "a", transport: "sse", url: "http://a.example.com/sse" }],
    ["env.1A", { ...npx, name: "a", env: { "1A": "x" } }],
    ["env.A", { ...npx, name: "a", env: { A: "****" } }],
    ["tags.0", { ...npx, name: "a", tags: ["\u0007"] }],
    ["comand", { ...npx, name: "a", comand: "npx" }],
    ["__proto__", JSON.parse('{"command":"npx","name":"a","__proto__":{"url":"x"}}')],
    ["0", { ...npx, name: "a", 0: "npx" }],
    ["title", { ...npx, name: "a", title: "\u001b]0;x\u0007" }],
    ["tags.0", { ...npx, name: "a", tags: ["a".repeat(64)] }],
    ["args", { ...npx, name: "a", args: Array.from({ length: 65 }, () => "x") }],
  ])("whose %s is wrong is 422, and says which field: %j", async (field, body) => {
    const { ask, written } = openServerScene();
    expect(await ask("POST", "/api/servers", { body })).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field },
    });
    expect(written).toEqual([]);
  });

  it("that names a server by URL makes a remote one, by url or by homepage", async () => {
    const { ask } = openServerScene();
    const url = "https://tools.example.com/mcp";
    const shown = { status: 201, body: { transport: "streamable-http", homepage: url, command: null } };
    expect(await ask("POST", "/api/servers", { body: { name: "a", url } })).toMatchObject(shown);
    const body = { name: "b", transport: "streamable-http", homepage: url };
    expect(await ask("POST", "/api/servers", { body })).toMatchObject(shown);
  });

  it("may give a name that a resource cannot have", async () => {
    const { ask, state } = openServerScene();
    for (const name of ["Memory.v2", "memory_v2", "9lives"]) {
      expect(await ask("POST", "/api/servers", { body: { ...npx, name } })).toMatchObject({
        status: 201,
        body: { name },
      });
    }
    const names = state.listServers().map(({ resource }) => resource?.metadata.name ?? "");
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^[a-z][-a-z0-9]*[a-z0-9]$/);
  });
});

describe("DSC-6 DSC-8 two servers of one name", () => {
  it("are not made: the second is 409, also where the first is of the instance's spec", async () => {
    const { ask, written } = openServerScene({ inline: [{ name: "argos", url: serverUrl }] });
    const post = (name: string) => ask("POST", "/api/servers", { body: { ...npx, name } });
    expect((await post("a")).status).toBe(201);
    for (const name of ["a", "argos"]) {
      expect(await post(name)).toMatchObject({
        status: 409,
        body: { error: "conflict", message: expect.stringContaining("already") },
      });
    }
    expect(written).toEqual(["create a"]);
  });

  it("are one where somebody applied both: the earlier has the name", async () => {
    const { ask, state } = openServerScene();
    const put = (name: string, creationTimestamp: string) =>
      state.put(serverResource(name, { serverName: "memory", description: name }, { creationTimestamp }));
    put("late", "2026-11-02T00:00:00Z");
    put("early", "2026-11-01T00:00:00Z");
    expect((await ask("GET", "/api/servers")).body).toMatchObject([{ name: "memory", description: "early" }]);
  });
});

describe("DSC-8 a PUT", () => {
  it("changes what it names, keeps what it does not, and leaves nothing of a source that another took the place of", async () => {
    const { ask, state } = openServerScene();
    const post = {
      name: "a",
      command: "npx",
      args: ["-y", "pkg@1.0.0", "x"],
      tags: ["t"],
      env: { KEY: "secret-value" },
    };
    await ask("POST", "/api/servers", { body: post });
    const put = async (body: object) => {
      expect(await ask("PUT", "/api/servers/a", { body })).toMatchObject({ status: 200 });
      return state.getServer("a")?.resource?.spec;
    };
    expect(await put({ description: "d" })).toMatchObject({
      package: { version: "1.0.0" },
      tags: ["t"],
      description: "d",
    });
    expect((await put({ command: "npx", args: ["-y", "pkg"] }))?.package).toEqual({ kind: "npm", name: "pkg" });
    expect((await put({ args: ["-y", "other"] }))?.package?.name).toBe("other");
    // What is shown masked is not what it becomes.
    expect((await put({ env: { KEY: "****", NEW: "n" } }))?.env).toEqual([
      { name: "KEY", value: "secret-value" },
      { name: "NEW", value: "n" },
    ]);
    const containers = await put({ command: "docker", args: ["run", "-i", "image", "prog"] });
    expect([containers?.package, containers?.container]).toEqual([undefined, { image: "image", command: ["prog"] }]);
  });

  it("renames, but to no name that is taken", async () => {
    const { ask } = openServerScene();
    for (const name of ["a", "b"]) await ask("POST", "/api/servers", { body: { ...npx, name } });
    expect((await ask("PUT", "/api/servers/a", { body: { name: "b" } })).status).toBe(409);
    expect(await ask("PUT", "/api/servers/a", { body: { name: "c" } })).toMatchObject({
      status: 200,
      body: { name: "c" },
    });
    expect((await ask("GET", "/api/servers/a")).status).toBe(404);
  });
});

describe("DSC-8 who may what", () => {
  const routes: [string, string, string, string | undefined][] = [
    ["GET", "/api/servers", "viewer", undefined],
    ["GET", "/api/servers/a", "viewer", undefined],
    ["GET", "/api/status", "viewer", undefined],
    ["GET", "/api/logs", "viewer", undefined],
    ["POST", "/api/servers/a/call", "caller", "viewer"],
    ["POST", "/api/servers/a/pins/approve", "approver", "caller"],
    ["POST", "/api/servers/a/activate", "operator", "approver"],
    ["POST", "/api/servers/a/deactivate", "operator", "approver"],
    ["POST", "/api/servers/a/health", "operator", "approver"],
    ["POST", "/api/servers/a/reset-errors", "operator", "approver"],
    ["POST", "/api/servers", "admin", "operator"],
    ["PUT", "/api/servers/a", "admin", "operator"],
    ["DELETE", "/api/servers/a", "admin", "operator"],
    ["DELETE", "/api/logs", "admin", "operator"],
    ["GET", "/api/servers/a/secrets", "admin", "operator"],
  ];
  it.each(routes)("%s %s takes the role %s", async (method, path, role, below) => {
    const { ask, state, admit } = openServerScene();
    state.put(remoteServer("a", serverUrl));
    admit("agent", { kind: "agent", subject: "an agent", agent: "clerk", name: "agent:clerk" });
    const body = method === "GET" ? {} : { body: {} };
    expect((await ask(method, path, { as: role, ...body })).status).not.toBe(403);
    for (const as of [below, "agent"]) {
      if (as === undefined) continue;
      const refused = await ask(method, path, { as, ...body });
      expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
      expect(JSON.stringify(refused.body)).toContain(role);
    }
  });

  it("somebody who is narrowed to some servers sees, calls and makes no others", async () => {
    const { ask, state, admit, calls } = openServerScene();
    for (const name of ["mine", "other"]) state.put(remoteServer(name, serverUrl));
    admit("narrow", {
      kind: "person",
      subject: "narrow",
      name: "narrow",
      groups: [],
      role: "admin",
      servers: ["mine*"],
    });
    const facts = { timestamp: "t", kind: "call", tool: "x", latency_ms: 1, success: true, caller: "y" } as const;
    for (const server of ["mine", "other"]) calls.add({ ...facts, server });
    const as = "narrow";
    expect((await ask("GET", "/api/servers", { as })).body).toMatchObject([{ name: "mine" }]);
    expect((await ask("GET", "/api/servers/other", { as })).status).toBe(404);
    expect((await ask("POST", "/api/servers/other/call", { as, body: { tool: "x" } })).status).toBe(404);
    expect((await ask("GET", "/api/status", { as })).body).toMatchObject({ active_count: 1 });
    expect((await ask("GET", "/api/logs", { as })).body).toMatchObject({ total: 1, entries: [{ server: "mine" }] });
    expect((await ask("POST", "/api/servers", { as, body: { ...npx, name: "yours" } })).status).toBe(403);
    expect((await ask("POST", "/api/servers", { as, body: { ...npx, name: "mine-2" } })).status).toBe(201);
  });

  it("what is not the gateway's to change is refused, with the cure", async () => {
    const scene = openServerScene({ inline: [{ name: "argos", url: serverUrl }] });
    const says = async (method: string, path: string, status: number, words: string) => {
      const answer = await scene.ask(method, path, { body: {} });
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(words)]);
    };
    await says("PUT", "/api/servers/argos", 409, "instance's spec.servers");
    await says("DELETE", "/api/servers/argos", 409, "instance's spec.servers");
    await says("POST", "/api/servers/argos/deactivate", 409, "instance's spec.servers");
    expect((await scene.ask("POST", "/api/servers/argos/activate")).body).toMatchObject({ status: "already_active" });
    const local = openServerScene({ mode: "local" });
    local.state.put(remoteServer("a", serverUrl));
    expect(await local.ask("DELETE", "/api/servers/a")).toMatchObject({ status: 403, body: { error: "forbidden" } });
    expect(await local.ask("POST", "/api/servers/a/deactivate")).toMatchObject({ status: 403 });
  });
});

describe("DSC-11 a call that cannot be made", () => {
  it("of a tool that is not there suggests others", async () => {
    const { ask, state, servers } = openServerScene();
    const mcp = await startMcpServer([echoTool("search_web"), echoTool("unrelated")]);
    state.put(remoteServer("a", mcp.url));
    await expect.poll(() => servers.all()[0]?.health.status).toBe("healthy");
    expect(await ask("POST", "/api/servers/a/call", { body: { tool: "web_search" } })).toMatchObject({
      status: 404,
      body: { error: "unknown_tool", did_you_mean: ["search_web"] },
    });
    // What callers make up is in no table.
    expect((await ask("GET", "/api/servers/a/metrics")).body).toEqual([]);
  });

  it("of a tool that its resource does not let through is 404, from the moment it says so", async () => {
    const { ask, state, servers } = openServerScene();
    const mcp = await startMcpServer([echoTool("read"), echoTool("write"), echoTool("delete")]);
    state.put(remoteServer("a", mcp.url, { tools: { deny: ["del*"] } }));
    await expect.poll(() => servers.all()[0]?.health.status).toBe("healthy");
    const statuses = () =>
      Promise.all(
        ["read", "write", "delete"].map(
          async (tool) => (await ask("POST", "/api/servers/a/call", { body: { tool } })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200, 404]);
    state.put(remoteServer("a", mcp.url, { tools: { allow: ["read", "delete"], deny: ["del*"] } }));
    expect(await statuses()).toEqual([200, 404, 404]);
    expect((await ask("GET", "/api/status")).body).toMatchObject({ servers: [{ tools: ["read"] }] });
    state.put(remoteServer("a", mcp.url));
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it("of a server that is down is 502, and one that is not active 409", async () => {
    const { ask, state } = openServerScene();
    state.put(remoteServer("down", "http://127.0.0.1:9/mcp"));
    state.put(remoteServer("off", serverUrl, { active: false }));
    expect((await ask("POST", "/api/servers/down/call", { body: { tool: "x" } })).status).toBe(502);
    expect((await ask("POST", "/api/servers/off/call", { body: { tool: "x" } })).status).toBe(409);
    expect((await ask("GET", "/api/logs")).body).toMatchObject({ entries: [{ server: "down", success: false }] });
  });

  it.each([
    ["limit=0", 200, 0],
    ["limit=500", 200, 500],
    ["limit=501", 200, 500],
    ["limit=-1", 422, undefined],
    ["limit=many", 422, undefined],
    ["offset=1e9", 422, undefined],
  ])("the log by %s is %i", async (query, status, count) => {
    const { ask, calls } = openServerScene();
    const facts = { timestamp: "t", kind: "call", server: "s", tool: "x", latency_ms: 1, success: true } as const;
    for (let at = 0; at < 501; at += 1) calls.add({ ...facts, caller: "y" });
    const answer = await ask("GET", `/api/logs?${query}`);
    const { entries } = JSON.parse(JSON.stringify(answer.body));
    expect([answer.status, entries?.length]).toEqual([status, count]);
  });
});
