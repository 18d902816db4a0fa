// Browsing the registries that this machine's own npm and pip use, as `pallas up` does where an instance names no sources: one package of each, by
// its name, and installed in the version that was found.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBrowser } from "../../gateway/discovery/browse/browser.ts";
import { readLocalSources } from "../../gateway/discovery/browse/local-sources.ts";
import { renderBrowsed } from "../../gateway/discovery/browse/render.ts";
import { openDiscoveryScene } from "../../gateway/testing/discovery-scene.ts";
import { systemClock as clock } from "../../lib/process/clock.ts";

const memory = "@modelcontextprotocol/server-memory";
const fetchServer = "mcp-server-fetch";
const place = { variables: process.env, folder: process.cwd(), execPath: process.execPath };

describe("DSC-7 the registries of npm and pip", { timeout: 60_000 }, () => {
  it("are those that npm and pip name themselves", async () => {
    const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"]);
    const sources = await readLocalSources(place);
    expect(sources.find(({ kind }) => kind === "npm")?.url).toBe(stdout.trim());
  });

  it.each([memory, fetchServer])("publish %s, which is found by its name", async (name) => {
    const browser = createBrowser({ readSources: () => readLocalSources(place), clock });
    onTestFinished(() => browser.close());
    const { servers, sources } = renderBrowsed(await browser.browse({ query: name, limit: 20 }));
    expect(sources.filter(({ status }) => status === "ok").length).toBeGreaterThan(0);
    const found = servers.find((each) => each.name === name);
    const [offer] = found?.packages ?? [];
    expect(found?.description).not.toBe("");
    expect(offer?.args.at(-1)).toMatch(/(@|==)\d+\.\d+/);
  });

  it("lead to a PallasServer in that version", async () => {
    const { act, state } = await openDiscoveryScene({ sources: await readLocalSources(place) });
    const { server } = await act("admin", { action: "install", name: memory, source: "npm" });
    expect(server).toMatchObject({ name: "server-memory", command: "npx", active: false });
    expect(state.getServer("server-memory")?.resource?.spec.package).toEqual({
      ...{ kind: "npm", name: memory },
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });
});
