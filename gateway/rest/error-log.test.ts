// What a server wrote to standard error, over REST: read of the bridge before it, by operators.
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { openServerScene, remoteServer } from "../testing/server-scene.ts";
import { serverResource } from "../testing/resources.ts";

/** The admin port of a bridge. */
async function startBridge(text: string): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/stderr" ? 200 : 404;
    response.end(text);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  return `http://127.0.0.1:${address.port}`;
}

const path = "/api/servers/memory/stderr";
function open(bridges: readonly string[]) {
  const scene = openServerScene({ bridges: { memory: bridges } });
  scene.state.put(serverResource("memory", { remote: undefined, package: { kind: "npm", name: "server-memory" } }));
  return (as = "operator", at = path) => scene.ask("GET", at, { as });
}

describe("DSC-6 DSC-8 standard error of a server", () => {
  it("is what its bridges keep, line by line, for operators", async () => {
    const ask = open([await startBridge("a\nb <i>\n"), await startBridge("c\n")]);
    expect(await ask()).toEqual({ status: 200, body: { lines: ["a", "b <i>", "c"] } });
    expect((await ask("approver")).status).toBe(403);
    expect((await ask("operator", "/api/servers/nobody/stderr")).status).toBe(404);
  });

  it("is that of those that answer, and says where none does", async () => {
    const gone = "http://127.0.0.1:9";
    expect(await open([gone, await startBridge("a\n")])()).toEqual({ status: 200, body: { lines: ["a"] } });
    expect(await open([gone])()).toMatchObject({ status: 502, body: { error: "unanswered" } });
    expect(await open([])()).toMatchObject({ status: 409, body: { error: "not_running" } });
  });

  it("has a limit", async () => {
    expect((await open([await startBridge("x".repeat(1024 * 1024))])()).status).toBe(200);
    expect((await open([await startBridge("x".repeat(1024 * 1024 + 1))])()).status).toBe(502);
  });

  it("is not here for a server that runs elsewhere", async () => {
    const scene = openServerScene();
    scene.state.put(remoteServer("files", "http://127.0.0.1:9/mcp"));
    const found = await scene.ask("GET", "/api/servers/files/stderr", { as: "operator" });
    expect(found).toMatchObject({ status: 404, body: { error: "no_log" } });
  });
});
