// What a gateway knows from the state file of `pallas up`.
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { agentManifest, instanceManifest, registrationManifestOf, serverManifestOf } from "../testing/resources.ts";
import { createLocalState } from "./local-state.ts";
import type { StateChange } from "./state.ts";

async function follow() {
  const folder = await mkdtemp(join(tmpdir(), "gateway-state-"));
  const path = join(folder, "state.json");
  const state = createLocalState({ path, namespace: "agents", instance: "ouranos", log: silentLog() });
  const changes: StateChange[] = [];
  state.onChange((change) => changes.push(change));
  onTestFinished(async () => {
    await state.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const replace = async (text: string) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  return { state, changes, replace, path };
}

const url = "http://localhost:24201/mcp";
const render = (agents: object[], endpoints: object[] = [], bridges: object[] = []) =>
  JSON.stringify({ schema: 2, resources: [instanceManifest(), ...agents], endpoints, bridges });
const endpoint = {
  namespace: "agents",
  instance: "ouranos",
  agent: "clerk",
  pod: "clerk-1",
  adminUrl: "http://127.0.0.1:24999",
};

describe("CLI-1 MGM-2 what a gateway knows in local mode", () => {
  it("is nothing until the file is there, and follows it then", async () => {
    const { state, changes, replace } = await follow();
    state.start();
    await expect.poll(() => state.observeUnready()).toContain("ENOENT");
    const clerk = { ...agentManifest("clerk"), status: { url } };
    await replace(render([clerk, agentManifest("stranger", { instanceRef: { name: "gaia" } })], [endpoint]));
    await expect.poll(() => state.observeUnready()).toBeUndefined();
    expect(state.listAgents().map(({ metadata }) => metadata.name)).toEqual(["clerk"]);
    expect(state.getInstance()?.metadata.name).toBe("ouranos");
    expect(state.getEndpoint("clerk")).toEqual({ mcpUrl: url, adminUrl: "http://127.0.0.1:24999" });
    await expect.poll(() => changes).toMatchObject([{ agents: ["clerk"], servers: [], instance: true }]);
    await replace(render([clerk]));
    await expect.poll(() => state.getEndpoint("clerk")).toBeUndefined();
    await expect.poll(() => changes.at(-1)).toMatchObject({ agents: ["clerk"], instance: false });
  });

  it("DSC-6 is its tool servers, where pallas up reaches them, and what was registered", async () => {
    const { state, changes, replace } = await follow();
    state.start();
    const npm = { remote: undefined, package: { kind: "npm", name: "server-memory" } };
    const memory = { ...serverManifestOf("memory", npm), status: { url } };
    const stranger = serverManifestOf("stranger", { instanceRef: { name: "gaia" } });
    await replace(render([memory, stranger, registrationManifestOf("weather")]));
    await expect.poll(() => state.observeUnready()).toBeUndefined();
    expect(state.listServers().map(({ name }) => name)).toEqual(["memory"]);
    expect(state.getServerAddress("memory")).toEqual({ url, headers: [], forwardInboundAuth: false });
    expect(state.listRegistrations().map(({ spec }) => spec.name)).toEqual(["weather"]);
    await expect.poll(() => changes).toMatchObject([{ servers: ["memory"], registrations: ["weather"] }]);
    const bridge = { namespace: "agents", instance: "ouranos", server: "memory", adminUrl: "http://127.0.0.1:24998" };
    await replace(
      render([{ ...memory, status: {} }], [], [bridge, { ...bridge, instance: "gaia", server: "stranger" }]),
    );
    await expect.poll(() => state.getServerAddress("memory")).toBeUndefined();
    await expect.poll(() => changes.at(-1)).toMatchObject({ servers: ["memory"], registrations: ["weather"] });
    expect(state.listServerAdminUrls("memory")).toEqual(["http://127.0.0.1:24998"]);
    expect(state.listServerAdminUrls("stranger")).toEqual([]);
  });

  it("stays when the file becomes garbage, and is told of the next sound one", async () => {
    const { state, replace } = await follow();
    await replace(render([agentManifest("clerk")]));
    state.start();
    await expect.poll(() => state.getAgent("clerk")).toBeDefined();
    await replace("{");
    await replace(render([agentManifest("zeno")]));
    await expect.poll(() => state.getAgent("zeno")).toBeDefined();
    await replace("{");
    expect([state.observeUnready(), state.listAgents()]).toMatchObject([undefined, [{ metadata: { name: "zeno" } }]]);
  });
});
