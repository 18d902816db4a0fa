// Clients of others against the registry as it is built: each sees every agent exactly once (CAT-10). They are written after what
// their originals do, since the originals cannot run here.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { syncAsToolHive } from "./registry-clients/toolhive.ts";
import { browseAsVsCode } from "./registry-clients/vscode.ts";
import { localAgent, startRegistryProcess, type RegistryProcess } from "./registry-process.ts";

const count = 257;
const names = Array.from({ length: count }, (_, at) => `agent-${String(at).padStart(3, "0")}`);
const agents = names.map((name, at) =>
  localAgent(name, {
    ...(at % 2 === 0 && { description: `Number ${at}, größer als ${at - 1} 😀` }),
    ...(at % 3 === 0 && { title: `Suche & <Finde> "${at}"` }),
    ...(at % 5 === 0 && { icons: [{ src: "https://example.com/a.svg", mimeType: "image/svg+xml" }] }),
    ...(at % 7 === 0 && { modelCapabilities: { vision: true } }),
  }),
);

describe("CAT-10 clients of MCP registries", () => {
  let registry: RegistryProcess;
  beforeAll(async () => {
    registry = await startRegistryProcess(agents);
  });
  afterAll(() => registry.stop());

  it("VS Code's gallery shows every agent once", async () => {
    const found = await browseAsVsCode(registry.url);
    expect(found.map(({ name }) => name)).toEqual(names.map((name) => `ca.helu.ouranos/${name}`));
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(["active"]));
    expect(new Set(found.map(({ url }) => url))).toEqual(new Set(["http://localhost:24101/mcp"]));
  });

  it("VS Code's gallery finds what it searches for on the second page too, where it says no more what", async () => {
    const found = await browseAsVsCode(registry.url, "größer als");
    expect(found.map(({ name }) => name)).toEqual(
      names.filter((_, at) => at % 2 === 0).map((name) => `ca.helu.ouranos/${name}`),
    );
    expect(found.length).toBeGreaterThan(100);
  });

  it("ToolHive takes every agent once, decoded strictly", async () => {
    const found = await syncAsToolHive(registry.url);
    expect(found.map(({ name }) => name)).toEqual(names.map((name) => `ca.helu.ouranos/${name}`));
    expect(found[0]?.icons).toEqual([{ src: "https://example.com/a.svg", mimeType: "image/svg+xml", sizes: ["any"] }]);
  });

  it("a client that asks only for what changed hears of a new, a changed and a deleted agent", async () => {
    const { servers: before } = await (await fetch(`${registry.url}/v0.1/servers?limit=1`)).json();
    expect(before).toHaveLength(1);
    const since = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
    const now = { specChangedAt: new Date().toISOString() };
    const changed = localAgent("agent-001", { title: "Changed" }, now);
    await registry.serve([...agents.slice(2), changed, localAgent("newcomer", {}, now)]);
    const changes = async (): Promise<string[]> => {
      const { servers } = await (await fetch(`${registry.url}/v0.1/servers?updated_since=${since}`)).json();
      return servers.map(
        ({ server, _meta }: { server: { name: string }; _meta: Record<string, { status: string }> }) =>
          `${server.name.split("/")[1]} ${_meta["io.modelcontextprotocol.registry/official"]?.status}`,
      );
    };
    await expect
      .poll(changes, { timeout: 10_000 })
      .toEqual(["agent-000 deleted", "agent-001 active", "newcomer active"]);
  });
});
