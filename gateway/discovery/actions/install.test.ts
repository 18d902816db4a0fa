// Installing and syncing by the registry tool, over HTTP, from places on loopback: what is written, by whom, and what is left to add.
import { describe, expect, it } from "vitest";
import { openDiscoveryScene } from "../../testing/discovery-scene.ts";
import { remoteServer, startMcpServer } from "../../testing/server-scene.ts";
import {
  npmPackage,
  serverJson,
  startJson,
  startNpmMirror,
  startRegistry,
  startSource,
} from "../browse/testing/test-sources.ts";

const memory = "@modelcontextprotocol/server-memory";
const stdio = { type: "stdio" };

async function openScene(options: Parameters<typeof openDiscoveryScene>[0] = {}) {
  const npm = await startNpmMirror({
    [memory]: npmPackage(memory, "2026.8.31", { keywords: ["mcp", "memory"] }),
    "a__b-mcp": npmPackage("a__b-mcp"),
  });
  const secret = {
    name: "API_KEY",
    description: "Key of the service.",
    isRequired: true,
    isSecret: true,
    value: "default-key",
  };
  const registry = await startRegistry([
    serverJson("com.example/search", {
      title: "Search",
      packages: [
        {
          ...{ registryType: "pypi", identifier: "search-server", version: "1.2.3", transport: stdio },
          packageArguments: [
            { type: "named", name: "--mode", value: "fast" },
            { type: "positional", valueHint: "index folder", isRequired: true },
          ],
          environmentVariables: [
            secret,
            { name: "REGION", isRequired: true, default: "eu" },
            { name: "TEAM", isRequired: true },
            { name: "DEBUG" },
          ],
        },
      ],
    }),
    serverJson("com.example/remote", {
      remotes: [
        {
          type: "streamable-http",
          url: "https://mcp.example.com/mcp",
          headers: [{ name: "X-Key", isRequired: true, isSecret: true }],
        },
      ],
    }),
    serverJson("com.example/image", {
      packages: [{ registryType: "oci", identifier: "ghcr.example/x:1", transport: stdio }],
    }),
    serverJson("com.example/old", { remotes: [{ type: "sse", url: "https://old.example.com/sse" }] }),
    serverJson("com.example/nothing"),
    serverJson("com.example/template", {
      remotes: [{ type: "streamable-http", url: "https://{tenant}.example.com/mcp" }],
    }),
    serverJson("com.example/flag", {
      packages: [{ registryType: "npm", identifier: "--call=evil", transport: stdio }],
    }),
  ]);
  const pypi = await startJson(() => undefined);
  const sources = [
    { name: "packages", kind: "npm", url: npm.url },
    { name: "public", kind: "mcp-registry", url: registry.url },
    { name: "python", kind: "pypi", url: pypi.url },
  ] as const;
  const scene = await openDiscoveryScene({ sources, ...options });
  const specOf = (name: string) => scene.state.getServer(name)?.resource?.spec;
  return { ...scene, specOf, npm, registry };
}

describe("DSC-1 DSC-7 install of what is published", () => {
  it("writes a PallasServer with the version that was found, started by nobody", async () => {
    const { act, specOf, written } = await openScene();
    const answer = await act("admin", { action: "install", name: memory, source: "npm" });
    expect(answer).toEqual({
      server: expect.objectContaining({
        name: "server-memory",
        active: false,
        listed: false,
        package_version: "2026.8.31",
      }),
      source: "packages",
      next_step: 'activate it: {"action":"activate","name":"server-memory"}',
    });
    expect(written).toEqual(["create server-memory"]);
    expect(specOf("server-memory")).toEqual({
      instanceRef: { name: "ouranos" },
      description: `The package ${memory}.`,
      tags: ["mcp", "memory"],
      active: false,
      listed: false,
      package: { kind: "npm", name: memory, version: "2026.8.31" },
    });
  });

  it("says what is missing, and writes no value of a secret", async () => {
    const { act, specOf } = await openScene();
    const answer = await act("admin", { action: "install", name: "com.example/search", source: "registry" });
    expect(answer).toMatchObject({
      source: "public",
      needs: {
        env: [
          { name: "API_KEY", description: "Key of the service.", required: true, secret: true },
          { name: "TEAM", required: true, secret: false },
        ],
        args: ["index folder"],
      },
      next_step: expect.stringMatching(
        /^add the secret API_KEY in spec\.env, the variable TEAM in spec\.env, the argument index folder .* valueFrom\.secretKeyRef/,
      ),
    });
    expect(specOf("search")).toMatchObject({
      title: "Search",
      package: { kind: "pypi", name: "search-server", version: "1.2.3", args: ["--mode", "fast"] },
      env: [{ name: "REGION", value: "eu" }],
    });
    expect(JSON.stringify([answer, specOf("search")])).not.toContain("default-key");
  });

  it("takes what the caller gives in place of what is published", async () => {
    const { act, specOf } = await openScene();
    const wishes = { server: "find.it", description: "Ours", tags: ["team"], args: ["/data"], env: { TEAM: "blue" } };
    const answer = await act("admin", { action: "install", name: "com.example/search", source: "public", ...wishes });
    expect(answer["needs"]).toEqual({ env: [expect.objectContaining({ name: "API_KEY" })] });
    expect(specOf("find.it")).toMatchObject({
      serverName: "find.it",
      description: "Ours",
      tags: ["team"],
      package: { args: ["--mode", "fast", "/data"] },
      env: [
        { name: "REGION", value: "eu" },
        { name: "TEAM", value: "blue" },
      ],
    });
  });

  it("of one that is reached at a URL writes a remote, and names the headers that it wants", async () => {
    const { act, specOf } = await openScene();
    const answer = await act("admin", { action: "install", name: "com.example/remote", source: "public" });
    expect(answer["needs"]).toEqual({ headers: [{ name: "X-Key", description: "", required: true, secret: true }] });
    expect(specOf("remote")).toMatchObject({ remote: { url: "https://mcp.example.com/mcp" }, active: false });
  });

  it("makes a name of a server of any published name", async () => {
    const { act } = await openScene();
    const { server } = await act("admin", { action: "install", name: "a__b-mcp", source: "npm" });
    expect(server).toMatchObject({ name: "a_b-mcp" });
  });

  it.each([
    [{ name: "com.example/image", source: "public" }, 422, /which program in it .* docker run|is an image/],
    [{ name: "com.example/old", source: "public" }, 422, /SSE alone/],
    [{ name: "com.example/nothing", source: "public" }, 422, /in no form/],
    [{ name: "com.example/template", source: "public" }, 422, /parts to fill in/],
    [{ name: "com.example/flag", source: "public" }, 422, /is not understood/],
    [{ name: "com.example/unknown", source: "public" }, 404, /public publishes no server/],
    [{ name: "unknown-mcp", source: "pypi" }, 404, /pypi publishes no server/],
    [{ name: "x", source: "smithery" }, 404, /there is no source "smithery"/],
    [{ name: "x" }, 422, /give a source/],
    [{ source: "npm" }, 422, /name is missing/],
  ])("refuses %j with the cure", async (args, status, message) => {
    const { act, written } = await openScene();
    const answer = await act("admin", { action: "install", ...args });
    expect(answer).toMatchObject({ error: { status, message: expect.stringMatching(message) } });
    expect(written).toEqual([]);
  });

  it("refuses a name that is taken, as REST does", async () => {
    const { act } = await openScene();
    const asked = { action: "install", name: memory, source: "npm" };
    await act("admin", asked);
    expect(await act("admin", asked)).toMatchObject({ error: { type: "conflict", status: 409 } });
  });

  it("is for admins alone, and in local mode the manifests are the cure", async () => {
    const { act, written } = await openScene();
    const asked = { action: "install", name: memory, source: "npm" };
    for (const role of ["viewer", "caller", "approver", "operator"]) {
      expect(await act(role, asked)).toMatchObject({ error: { status: 403 } });
    }
    expect(written).toEqual([]);
    const local = await openScene({ mode: "local" });
    expect(await local.act("admin", asked)).toMatchObject({
      error: { status: 403, message: expect.stringContaining("edit the manifests") },
    });
  });

  it("does not say that a server is not there when its source does not answer", async () => {
    const { url } = await startSource((_, response) => response.writeHead(503).end());
    const { act } = await openScene({ sources: [{ name: "packages", kind: "npm", url }] });
    expect(await act("admin", { action: "install", name: memory, source: "npm" })).toMatchObject({
      error: { status: 503, message: expect.stringContaining("packages: answered 503") },
    });
  });
});

describe("DSC-1 install by a command", () => {
  it("is what POST /api/servers writes, and a URL in its place is where a server is reached", async () => {
    const { act, specOf } = await openScene();
    const asked = { action: "install", name: "files", command: "npx", args: ["-y", "files-mcp@1.0.0"], tags: ["a"] };
    expect(await act("admin", asked)).toEqual({ server: expect.objectContaining({ name: "files", active: false }) });
    expect(specOf("files")).toMatchObject({
      package: { kind: "npm", name: "files-mcp", version: "1.0.0" },
      tags: ["a"],
    });
    await act("admin", { action: "install", name: "far", command: "https://far.example.com/mcp" });
    expect(specOf("far")).toMatchObject({ remote: { url: "https://far.example.com/mcp" } });
    expect(await act("admin", { action: "install", name: "own", command: "node", args: ["x.js"] })).toMatchObject({
      error: { status: 422, message: expect.stringContaining("runs a program of this machine") },
    });
  });
});

describe("DSC-1 browse and sync by the registry tool", () => {
  it("browse answers what REST answers, for viewers", async () => {
    const { act, ask } = await openScene();
    const answer = await act("viewer", { action: "browse", query: memory, limit: 5 });
    const rest = await ask("GET", `/api/browse?query=${encodeURIComponent(memory)}&limit=5`, { as: "viewer" });
    expect(rest).toEqual({ status: 200, body: answer });
    const offered = expect.objectContaining({ runtime: "node" });
    expect(answer["servers"]).toContainEqual(expect.objectContaining({ name: memory, packages: [offered] }));
    expect(await act("viewer", { action: "browse", cursor: "x" })).toMatchObject({
      error: { status: 422, message: expect.stringContaining("next_cursor") },
    });
  });

  it("sync says which sources and servers answer, and hears of new tools", async () => {
    const { act, state, servers } = await openScene({
      sources: [
        { name: "packages", kind: "npm", url: (await startNpmMirror({})).url },
        {
          name: "public",
          kind: "mcp-registry",
          url: (await startSource((_, response) => response.writeHead(500).end())).url,
        },
      ],
    });
    const [up, down] = [await startMcpServer(), await startMcpServer()];
    state.put(remoteServer("up", up.url));
    state.put(remoteServer("down", down.url));
    await expect
      .poll(() => servers.all().map(({ health }) => health.status), { timeout: 10_000 })
      .toEqual(["healthy", "healthy"]);
    await down.stop();
    expect(await act("operator", { action: "sync" })).toEqual({
      sources: [
        { name: "packages", kind: "npm", status: "reachable" },
        { name: "public", kind: "mcp-registry", status: "failed", error: "answered 500" },
      ],
      servers: { active_count: 2, listed: 1, failed: 1, failed_names: ["down"], tool_count: 2 },
    });
    expect(await act("viewer", { action: "sync" })).toMatchObject({ error: { status: 403 } });
  });
});
