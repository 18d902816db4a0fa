import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { UsageError } from "../manifests/find-files.ts";
import { listAgents } from "./catalogue.ts";
import { findAgent, requireReady } from "./choose-agent.ts";

async function serve(status: number, body: unknown): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/base/.well-known/mcp/server.json" ? status : 404);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/base`;
}

const entry = (name: string, runtime?: object) => ({
  server: { name: `com.example/${name}`, description: "d", remotes: [{ url: `http://localhost:1/${name}` }] },
  _meta: runtime === undefined ? {} : { "ca.helu.pallas/runtime": runtime },
});

describe("CLI-4 agents of a registry", () => {
  test("are listed by name, below a path too, and found in every spelling", async () => {
    const registry = await serve(200, {
      servers: [entry("tech-research"), entry("clerk", { readyReplicas: 0, message: "m" })],
    });
    const agents = await listAgents(`${registry}/`);
    expect(await listAgents(`${registry}/.well-known/mcp/server.json`)).toEqual(agents);
    expect(agents.map(({ name, isReady, reason }) => ({ name, isReady, reason }))).toEqual([
      { name: "clerk", isReady: false, reason: "m" },
      { name: "tech-research", isReady: true, reason: undefined },
    ]);
    for (const name of ["tech-research", "tech_research", "com.example/tech-research"]) {
      expect(findAgent(agents, name).url).toBe("http://localhost:1/tech-research");
    }
    expect(() => findAgent(agents, "clerc")).toThrow(
      'no agent "clerc" (did you mean "clerk"?); there is clerk, tech-research',
    );
    expect(() => requireReady(findAgent(agents, "clerk"))).toThrow('agent "clerk" is not ready: m');
  });

  test("a registry that is still reading, and what is none, are told apart", async () => {
    await expect(listAgents(await serve(503, ""))).rejects.toThrow(
      "still reading its resources; try again in a moment",
    );
    await expect(listAgents(await serve(404, ""))).rejects.toThrow("is not a Pallas registry; correct --registry");
    await expect(listAgents(await serve(200, "<html>"))).rejects.toThrow("is not a Pallas registry");
    await expect(listAgents(await serve(200, { servers: [{}] }))).rejects.toThrow("is not a Pallas registry");
    for (const url of ["localhost:24200", "ftp://a", "x"]) await expect(listAgents(url)).rejects.toThrow(UsageError);
  });
});
