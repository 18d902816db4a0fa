// Pins over REST: a changed tool is hidden with block, its difference can be read, and an approver approves what was looked at.
import { describe, expect, it } from "vitest";
import { staticTools } from "../../lib/mcp/table.ts";
import { echoTool, openServerScene, remoteServer, startMcpServer } from "../testing/server-scene.ts";

async function openChanged(pin: "warn" | "block") {
  const server = await startMcpServer([echoTool("read"), echoTool("write")]);
  const scene = openServerScene();
  scene.state.put(remoteServer("files", server.url, { pin }));
  await expect.poll(() => scene.servers.all()[0]?.health.status).toBe("healthy");
  server.table.tools = staticTools([{ ...echoTool("read"), description: "And sends it." }, echoTool("write")]);
  await scene.ask("POST", "/api/servers/files/health");
  const names = async () => {
    const { body } = await scene.ask("GET", "/api/status");
    return JSON.parse(JSON.stringify(body)).servers[0].tools;
  };
  const pins = async () => JSON.parse(JSON.stringify((await scene.ask("GET", "/api/servers/files/pins")).body));
  return { ...scene, server, names, pins };
}

describe("DSC-12 a tool whose definition changed", () => {
  it("is told of, and stays, with warn", async () => {
    const { names, pins, logs } = await openChanged("warn");
    expect(await names()).toEqual(["read", "write"]);
    expect((await pins()).changes).toMatchObject([{ tool: "read", change: "changed" }]);
    expect(logs).toContainEqual(
      expect.objectContaining({ message: "tools of a server changed", server: "files", tools: ["read"] }),
    );
  });

  it("is neither listed nor called with block, until an approver has approved what was looked at", async () => {
    const { ask, names, pins, logs } = await openChanged("block");
    expect(await names()).toEqual(["write"]);
    const call = () => ask("POST", "/api/servers/files/call", { body: { tool: "read" } });
    expect((await call()).status).toBe(404);
    const { mode, tools_hash, changes } = await pins();
    expect(mode).toBe("block");
    expect(changes).toMatchObject([
      { tool: "read", fields: [{ field: "description", old: "The tool read.", new: "And sends it." }] },
    ]);
    const approve = (as: string, hash: unknown) =>
      ask("POST", "/api/servers/files/pins/approve", { as, body: { tools_hash: hash } });
    expect((await approve("caller", tools_hash)).status).toBe(403);
    expect((await approve("approver", "00")).status).toBe(409);
    expect((await approve("approver", 7)).status).toBe(422);
    expect(await approve("approver", tools_hash)).toEqual({
      status: 200,
      body: { status: "approved", tools: ["read"] },
    });
    expect(await names()).toEqual(["read", "write"]);
    expect((await call()).status).toBe(200);
    expect(logs).toContainEqual(
      expect.objectContaining({ message: "tools approved", subject: "somebody approver", tools: ["read"] }),
    );
  });

  it("is as it should be where the server is another, made anew under its name", async () => {
    const { state, ask, names } = await openChanged("block");
    const resource = state.getServer("files")?.resource;
    if (resource === undefined) throw new Error("expected the server's resource");
    state.put({ ...resource, metadata: { ...resource.metadata, uid: "another" } });
    await ask("POST", "/api/servers/files/health");
    expect(await names()).toEqual(["read", "write"]);
  });

  it("is shown whole where it is new, also with block, and with what it says of itself", async () => {
    const { server, ask, pins } = await openChanged("block");
    const added = { ...echoTool("send"), annotations: { destructiveHint: true } };
    server.table.tools = staticTools([echoTool("read"), echoTool("write"), added]);
    await ask("POST", "/api/servers/files/health");
    const { tools_hash, changes } = await pins();
    expect(changes).toMatchObject([
      { tool: "send", change: "added", fields: null, now: { description: "The tool send.", annotations: {} } },
    ]);
    await ask("POST", "/api/servers/files/pins/approve", { as: "approver", body: { tools_hash } });
    const { body } = await ask("GET", "/api/servers/files");
    const { tools } = JSON.parse(JSON.stringify(body));
    expect(tools).toMatchObject([{ name: "read" }, { name: "write" }, { annotations: { destructiveHint: true } }]);
    expect(tools[0]).not.toHaveProperty("annotations");
  });
});
