// Every example of the REST interface that clients of agent-discover know, in its words and shapes (DSC-8), against real MCP servers.
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolEntry } from "../../lib/mcp/table.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { serverResource } from "../testing/resources.ts";
import { echoTool, openServerScene, remoteServer, startMcpServer, type SceneOptions } from "../testing/server-scene.ts";

const anyId = expect.any(Number);
const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The interface's own examples have a server `filesystem` with the tool `read_file`. */
async function openFilesystem(options: SceneOptions = {}, tools: ToolEntry[] = [echoTool("read_file")]) {
  const server = await startMcpServer(tools);
  const scene = openServerScene({ urls: { filesystem: server.url }, ...options });
  const listed = async () => {
    await expect.poll(() => scene.servers.all()[0]?.health.status).toBe("healthy");
  };
  const put = (spec: object = {}) => scene.state.put(remoteServer("filesystem", server.url, spec));
  return { ...scene, server, put, listed };
}

describe("DSC-8 GET", () => {
  it("/health", async () => {
    const { ask } = await openFilesystem();
    expect(await ask("GET", "/health")).toEqual({
      status: 200,
      body: { status: "ok", version: "1.2.3", uptime: expect.any(Number) },
    });
  });

  it("/api/prereqs", async () => {
    const { ask } = await openFilesystem();
    expect((await ask("GET", "/api/prereqs")).body).toEqual({ npx: true, uvx: false, docker: false, uv: false });
  });

  it("/api/servers: an array, with active, health_status, last_health_check and error_count", async () => {
    const { ask, put, listed } = await openFilesystem();
    put({ description: "Files", tags: ["disk"] });
    await listed();
    const { body } = await ask("GET", "/api/servers");
    expect(body).toMatchObject([
      {
        id: anyId,
        name: "filesystem",
        description: "Files",
        tags: ["disk"],
        active: true,
        health_status: "healthy",
        last_health_check: anyTime,
        error_count: 0,
      },
    ]);
  });

  it.each([
    ["query=file", 1],
    ["query=FILES%20disk", 1],
    ["query=read_file", 1],
    ["query=slack", 0],
    ["query=files%20slack", 0],
    ["source=manual", 1],
    ["source=smithery", 0],
    ["installed=true", 1],
    [`query=${"a".repeat(100_000)}`, 0],
  ])("/api/servers finds by %.40s", async (query, count) => {
    const { ask, put, listed } = await openFilesystem();
    put({ description: "Files", tags: ["disk"] });
    await listed();
    expect((await ask("GET", `/api/servers?${query}`)).body).toHaveLength(count);
  });

  it("/api/servers/:id, by id and by name, with its tools", async () => {
    const { ask, put, listed } = await openFilesystem();
    put({ description: "..." });
    await listed();
    const { body } = await ask("GET", "/api/servers/filesystem");
    expect(body).toMatchObject({
      id: anyId,
      name: "filesystem",
      description: "...",
      active: true,
      health_status: "healthy",
      error_count: 0,
      tools: [{ id: anyId, server_id: anyId, name: "read_file", description: expect.any(String), input_schema: {} }],
    });
    const { id } = JSON.parse(JSON.stringify(body));
    expect(Number.isSafeInteger(id)).toBe(true);
    expect((await ask("GET", `/api/servers/${id}`)).body).toEqual(body);
  });

  it("/api/servers/:id/metrics and /api/metrics", async () => {
    const { ask, put, listed } = await openFilesystem();
    put();
    await listed();
    expect((await ask("GET", "/api/metrics")).body).toEqual([]);
    await ask("POST", "/api/servers/filesystem/call", { body: { tool: "read_file" } });
    expect((await ask("GET", "/api/servers/filesystem/metrics")).body).toEqual([
      {
        tool_name: "read_file",
        call_count: 1,
        error_count: 0,
        avg_latency_ms: expect.any(Number),
        last_called_at: anyTime,
      },
    ]);
    expect((await ask("GET", "/api/metrics")).body).toEqual([
      { server_name: "filesystem", total_calls: 1, total_errors: 0, avg_latency_ms: expect.any(Number) },
    ]);
  });

  it("/api/logs, newest first", async () => {
    const { ask, put, listed } = await openFilesystem({ arguments: "redacted" });
    put();
    await listed();
    for (const model of ["res.partner", "res.users", "res.country"]) {
      await ask("POST", "/api/servers/filesystem/call", { body: { tool: "read_file", args: { model } } });
    }
    expect((await ask("GET", "/api/logs?limit=1")).body).toEqual({
      entries: [
        {
          id: 3,
          timestamp: anyTime,
          kind: "call",
          server: "filesystem",
          tool: "read_file",
          args: { model: "res.country" },
          response: '{"model":"res.country"}',
          latency_ms: expect.any(Number),
          success: true,
          caller: "somebody admin",
        },
      ],
      total: 3,
    });
    expect((await ask("GET", "/api/logs?limit=1&offset=2")).body).toMatchObject({ entries: [{ id: 1 }], total: 3 });
  });

  it("/api/logs, of an answer that is not text alone all of it", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const draw = {
      ...echoTool("draw"),
      call: async () => ({ content: [{ type: "text", text: "a" } as const, image] }),
    };
    const { ask, put, listed } = await openFilesystem({ arguments: "redacted" }, [draw]);
    put();
    await listed();
    await ask("POST", "/api/servers/filesystem/call", { body: { tool: "draw" } });
    const response = JSON.stringify([{ type: "text", text: "a" }, image]);
    expect((await ask("GET", "/api/logs")).body).toMatchObject({ entries: [{ response }] });
  });

  it("/api/status", async () => {
    const { ask, put, listed } = await openFilesystem();
    put();
    await listed();
    expect((await ask("GET", "/api/status")).body).toEqual({
      active_count: 1,
      servers: [{ name: "filesystem", tool_count: 1, tools: ["read_file"] }],
    });
  });
});

describe("DSC-8 POST, PUT and DELETE", () => {
  it("POST /api/servers answers 201 with the server, which is not started yet", async () => {
    const { ask } = await openFilesystem();
    const body = {
      name: "my-server",
      command: "npx",
      args: ["-y", "my-server"],
      description: "My server",
      tags: ["custom"],
    };
    expect(await ask("POST", "/api/servers", { body })).toMatchObject({
      status: 201,
      body: { id: anyId, ...body, active: false, health_status: "unknown", error_count: 0 },
    });
  });

  it("POST /api/servers of a program of a machine is refused by a cluster, with the cure", async () => {
    const { ask } = await openFilesystem();
    const body = { name: "my-server", command: "node", args: ["/path/to/server.js"], description: "My server" };
    const answer = await ask("POST", "/api/servers", { body });
    expect(answer).toMatchObject({ status: 422, body: { error: "invalid_field", field: "command" } });
    expect(JSON.stringify(answer.body)).toContain("give an npx, uvx or docker command");
  });

  it("PUT /api/servers/:id answers the server as it is now", async () => {
    const { ask } = await openFilesystem();
    await ask("POST", "/api/servers", { body: { name: "mine", command: "npx", args: ["-y", "server.js"] } });
    const body = {
      description: "Updated description",
      command: "npx",
      args: ["-y", "server.js", "--verbose"],
      env: { API_KEY: "..." },
      tags: ["updated"],
    };
    expect(await ask("PUT", "/api/servers/mine", { body })).toMatchObject({
      status: 200,
      body: { ...body, env: { API_KEY: "****" } },
    });
  });

  it("DELETE /api/servers/:id", async () => {
    const { ask, put, listed } = await openFilesystem();
    put();
    await listed();
    await ask("POST", "/api/servers/filesystem/call", { body: { tool: "read_file" } });
    expect(await ask("DELETE", "/api/servers/filesystem")).toEqual({ status: 200, body: { status: "deleted" } });
    expect((await ask("GET", "/api/servers/filesystem")).status).toBe(404);
    // One that is made anew under its name has been called by nobody.
    put();
    expect((await ask("GET", "/api/servers/filesystem/metrics")).body).toEqual([]);
  });

  it("activate and deactivate, once and again", async () => {
    const { ask, put } = await openFilesystem();
    put({ active: false });
    const post = async (action: string) => (await ask("POST", `/api/servers/filesystem/${action}`)).body;
    expect(await post("activate")).toEqual({ status: "activated", tool_count: 1 });
    expect(await post("activate")).toEqual({ status: "already_active", tool_count: 1 });
    expect(await post("deactivate")).toEqual({ status: "deactivated" });
    expect(await post("deactivate")).toEqual({ status: "not_active" });
  });

  it("activate lists one that is started and not listed", async () => {
    const { ask, put, state } = await openFilesystem();
    put();
    expect((await ask("POST", "/api/servers/filesystem/activate")).body).toMatchObject({ status: "activated" });
    expect(state.getServer("filesystem")?.resource?.spec).toMatchObject({ active: true, listed: true });
  });

  it("health, of one that answers and of one that does not", async () => {
    const { ask, put, server } = await openFilesystem();
    put();
    expect((await ask("POST", "/api/servers/filesystem/health")).body).toEqual({
      status: "healthy",
      latency_ms: expect.any(Number),
    });
    await server.stop();
    expect((await ask("POST", "/api/servers/filesystem/health")).body).toEqual({
      status: "unhealthy",
      latency_ms: expect.any(Number),
      error: expect.any(String),
    });
    const counted = await ask("GET", "/api/servers/filesystem");
    expect(counted.body).toMatchObject({ health_status: "unhealthy", last_health_check: anyTime });
    expect(counted.body).not.toMatchObject({ error_count: 0 });
    expect((await ask("POST", "/api/servers/filesystem/reset-errors")).body).toEqual({ status: "reset" });
    expect((await ask("GET", "/api/servers/filesystem")).body).toMatchObject({ error_count: 0 });
  });

  it("health of one that is not active starts it for as long as it takes", async () => {
    const { ask, put, written } = await openFilesystem();
    put({ active: false });
    expect((await ask("POST", "/api/servers/filesystem/health")).body).toMatchObject({ status: "healthy" });
    expect(written).toEqual(["patch filesystem", "patch filesystem"]);
    expect((await ask("GET", "/api/servers/filesystem")).body).toMatchObject({ active: false });
  });

  it("call answers the tool's MCP result, and notes it", async () => {
    const { ask, put, listed } = await openFilesystem();
    put();
    await listed();
    const body = { tool: "read_file", args: { path: "/a" } };
    expect(await ask("POST", "/api/servers/filesystem/call", { body })).toMatchObject({
      status: 200,
      body: { content: [{ type: "text", text: '{"path":"/a"}' }] },
    });
    // With arguments off neither is kept.
    expect((await ask("GET", "/api/logs")).body).toMatchObject({ entries: [{ args: null, response: null }], total: 1 });
    expect(await ask("DELETE", "/api/logs")).toEqual({ status: 200, body: { status: "cleared" } });
    expect((await ask("GET", "/api/logs")).body).toEqual({ entries: [], total: 0 });
  });
});

describe("DSC-8 errors", () => {
  const routes: [string, string][] = [
    ["GET", ""],
    ["PUT", ""],
    ["DELETE", ""],
    ["POST", "/activate"],
    ["POST", "/deactivate"],
    ["GET", "/secrets"],
    ["PUT", "/secrets/API_KEY"],
    ["DELETE", "/secrets/API_KEY"],
    ["POST", "/health"],
    ["GET", "/metrics"],
    ["POST", "/reset-errors"],
    ["POST", "/call"],
  ];
  it.each(routes)("404 where there is no such server: %s /api/servers/:id%s", async (method, rest) => {
    const { ask } = await openFilesystem();
    for (const id of ["999999", "nobody", "%1b[31m", "-1"]) {
      const answer = await ask(method, `/api/servers/${id}${rest}`, method === "GET" ? {} : { body: {} });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });

  it("400 where a server has nothing that could be started: POST /api/servers/:id/activate", async () => {
    const { ask, state, servers, written } = await openFilesystem();
    const message = "spec.local runs a program of one machine: give a package, a container or a remote";
    const condition = {
      type: "Accepted",
      status: "False",
      reason: "LocalOnly",
      message,
      lastTransitionTime: "2026-11-23T09:00:00Z",
    };
    const put = (observedGeneration: number) => {
      const status = { conditions: [{ ...condition, observedGeneration }] };
      const spec = { remote: undefined, local: { command: "node" }, active: false };
      state.put(serverResource("program", spec, { generation: 2, status }));
    };
    // What was said of it before it was changed counts no more.
    put(1);
    expect(servers.all().find(({ name }) => name === "program")?.refusal).toBeUndefined();
    put(2);
    expect(await ask("POST", "/api/servers/program/activate")).toEqual({
      status: 400,
      body: { error: "not_accepted", message },
    });
    expect(written).toEqual([]);
  });

  it("health says which one did not answer within 5 s: Health check timed out", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const clock = new ManualClock();
    const { ask, state } = openServerScene({ clock });
    state.put(remoteServer("filesystem", `http://127.0.0.1:${port}/mcp`));
    const asked = ask("POST", "/api/servers/filesystem/health");
    await expect.poll(() => clock.pending).toContain(5_000);
    await clock.advance(5_000);
    expect((await asked).body).toEqual({ status: "unhealthy", latency_ms: 5_000, error: "Health check timed out" });
  });

  it.each([
    ["GET", "/api/servers/filesystem/secrets"],
    ["PUT", "/api/servers/filesystem/secrets/API_KEY"],
    ["DELETE", "/api/servers/filesystem/secrets/API_KEY"],
    ["GET", "/api/browse?query=database&limit=5"],
  ])("501 with the cure: %s %s", async (method, path) => {
    const { ask, put } = await openFilesystem();
    put();
    const answer = await ask(method, path, method === "PUT" ? { body: { value: "sk-test-1234567890" } } : {});
    expect(answer).toMatchObject({ status: 501, body: { error: "not_configured", message: expect.any(String) } });
  });
});
