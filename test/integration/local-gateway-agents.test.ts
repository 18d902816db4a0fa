// `pallas up` with a gateway and its agents, which know each other without a cluster: by keys and tokens of the run.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { openGatewayCaller } from "./gateway-caller.ts";
import { agentManifest } from "./local/agents.ts";
import { Local } from "./local/local.ts";
import { startToolServer } from "./local/tool-server.ts";
import { startWire, type Wire } from "./wire.ts";

const patience = { timeout: 20_000 };

describe("CLI-1 MGM-1 agents behind a gateway of pallas up", () => {
  let local: Local;
  let url: string;
  let model: Wire;
  let stopTools: () => void;
  beforeAll(async () => {
    const toolPort = await findFreePorts(1);
    stopTools = startToolServer(toolPort);
    // It never answers, so that there is something to abort.
    model = await startWire(() => undefined);
    local = await Local.create(toolPort);
    const port = local.port + 8;
    url = `http://localhost:${port}/mcp`;
    const baseUrl = model.url.replace("/mcp", "/v1");
    const provider = `{ name: mute, kind: openai-compatible, baseUrl: "${baseUrl}", requireListedModel: false }`;
    await local.edit("instance.yaml", (text) =>
      text
        .replace("\n  gateway: {}\n", `\n  gateway: { service: { port: ${port} } }\n`)
        .replace("\nspec:\n", `\nspec:\n  providers: [${provider}]\n`),
    );
    const manifests = agentManifest("clerk", "  servers: [{ name: toolbox }]\n");
    await local.write("agents.yaml", manifests + agentManifest("sleeper", "  model: mute.m\n"));
    local.up();
    await local.started();
  });
  afterAll(async () => {
    await local.remove();
    await model.stop();
    stopTools();
  });

  const tokenFile = (of: string, name: string) => join(local.state, "secrets/tokens", of, name);
  const ofClerk = () => tokenFile("_default_clerk", "gateway");
  const ofGateway = () => tokenFile("_gateway_default_quickstart-gateway", "agents");

  it("MGM-3 the user prompts one, and aborts a call of another", async () => {
    const { output } = await local.run("token", "-f", "manifests");
    const caller = await openGatewayCaller(url, output.trim());
    const answer = await caller.call("agents_prompt", { agent_id: "clerk", message: "hello" });
    expect(JSON.stringify(answer)).toContain("hello");
    const endless = caller.call("agents_prompt", { agent_id: "sleeper", message: "think" });
    // Closed with the run where the test fails before its end.
    endless.catch(() => undefined);
    await expect.poll(() => caller.runsOf("sleeper"), patience).toHaveLength(1);
    const [run_id = ""] = await caller.runsOf("sleeper");
    expect(await caller.call("agents_abort_run", { agent_id: "sleeper", run_id })).toMatchObject({
      structuredContent: { aborted: 1 },
    });
    expect(JSON.stringify(await endless)).toMatch(/abort/i);
    await caller.close();
  });

  it("MGM-4 an agent's own token leads to its servers, and no token of the run is for others to read or in a log", async () => {
    const token = await readFile(ofClerk(), "utf8");
    const own = await openGatewayCaller(url, token);
    expect((await own.client.listTools()).tools.map(({ name }) => name)).toContain("toolbox__word_count");
    const counted = await own.call("toolbox__word_count", { text: "three small words" });
    expect(counted).toMatchObject({ content: [{ type: "text", text: "3" }] });
    expect(JSON.stringify(await own.read("resource://compositor_meta/state/toolbox"))).toContain("running");
    await own.close();
    for (const path of [ofClerk(), ofGateway()]) {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(local.stdout + local.stderr).not.toContain(await readFile(path, "utf8"));
    }
  });

  it("an agent takes the gateway's token on its admin port, and neither its own nor the user's", async () => {
    const { endpoints } = await local.told();
    const { adminUrl = "" } = endpoints.find(({ agent }) => agent === "clerk") ?? {};
    const ask = async (token: string) =>
      (await fetch(`${adminUrl}/runs`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask(await readFile(ofGateway(), "utf8"))).toBe(200);
    expect(await ask(await readFile(ofClerk(), "utf8"))).toBe(401);
    expect(await ask((await local.run("token", "-f", "manifests")).output.trim())).toBe(401);
  });

  it("an agent that is taken out loses its token, and one that is added has one", async () => {
    const before = await readFile(ofClerk(), "utf8");
    await local.write("agents.yaml", agentManifest("scribe"));
    /** Undefined while nobody is there to say. */
    const isLetIn = async (token: string) =>
      fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` } }).then(
        ({ status }) => status !== 401,
        () => undefined,
      );
    await expect.poll(() => isLetIn(before), patience).toBe(false);
    const readNew = () => readFile(tokenFile("_default_scribe", "gateway"), "utf8").catch(() => "");
    await expect.poll(async () => isLetIn(await readNew()), patience).toBe(true);
    await expect(stat(ofClerk())).rejects.toThrow("ENOENT");
    await expect
      .poll(async () => (await local.told()).endpoints.map(({ agent }) => agent), patience)
      .toEqual(["scribe"]);
  });

  it("the tokens end with the run", async () => {
    expect(await local.signal("SIGTERM")).toBe(0);
    await expect(stat(join(local.state, "secrets"))).rejects.toThrow("ENOENT");
  });
});
