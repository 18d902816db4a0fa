// `pallas up` with an agent that has only the registry of its gateway: it finds and calls a tool of a server that it does not name. And with a
// server whose secret only agents hold: its tools are found, with the agent to ask.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startToolServer, textResult, type ToolServer } from "../../agent-runtime/testing/servers.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { openGatewayCaller } from "./gateway-caller.ts";
import { agentManifest } from "./local/agents.ts";
import { Local, startMs } from "./local/local.ts";
import { startCommand } from "./local/command.ts";

const patience = { timeout: 30_000, interval: 500 };
const secret = "canary-7c1e";
const remote = (url: string) => `---
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasServer
metadata: { name: weather }
spec:
  instanceRef: { name: quickstart }
  remote: { url: "${url}" }
---
apiVersion: v1
kind: Secret
metadata: { name: vault-keys }
stringData: { token: ${secret} }
`;

describe("DSC-1 agents and the registry of their gateway under pallas up", { timeout: startMs }, () => {
  let local: Local;
  let weather: ToolServer;
  let vault: ToolServer;
  let url: string;
  beforeAll(async () => {
    const city = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
    weather = await startToolServer({
      get_weather_forecast: { inputSchema: city, handle: (args) => textResult(`sunny in ${String(args["city"])}`) },
    });
    vault = await startToolServer(
      { archive_invoice_document: () => textResult("kept") },
      { admits: (authorization) => authorization === secret },
    );
    local = await Local.create(await findFreePorts(1));
    const port = local.port + 8;
    url = `http://localhost:${port}/mcp`;
    const header = "{ name: Authorization, valueFrom: { secretKeyRef: { name: vault-keys, key: token } } }";
    await local.edit("instance.yaml", (text) =>
      text
        .replace("\n  gateway: {}\n", `\n  gateway: { service: { port: ${port} } }\n`)
        .replace("\n  servers:\n", `\n  servers:\n    - { name: vault, url: "${vault.url}", headers: [${header}] }\n`),
    );
    await local.write("weather.yaml", remote(weather.url));
    const denied = `  servers: [{ name: registry, tools: { deny: ["weather__*"] } }]\n`;
    await local.write(
      "agents.yaml",
      agentManifest("finder", "  servers: [{ name: registry }]\n") +
        agentManifest("barred", denied) +
        agentManifest("clerk", "  servers: [{ name: vault }]\n"),
    );
    local.up();
    await local.started();
  }, 2 * startMs);
  afterAll(async () => {
    await local.remove();
    await Promise.all([weather.stop(), vault.stop()]);
  });

  const chat = async (agent: string, tool: string, given: object) => {
    const message = `***CALL_TOOL ${tool} ${JSON.stringify(given)}`;
    return (await local.run("chat", agent, "--registry", local.registryUrl, "-m", message)).output;
  };
  const find = { action: "find_tool", query: "get the weather forecast of a city" };

  it("an agent with nothing else finds a tool and calls it by the name that it was given", async () => {
    await expect.poll(() => chat("finder", "registry", find), patience).toContain("mcp__weather__get_weather_forecast");
    expect(await chat("finder", "mcp__weather__get_weather_forecast", { city: "Rome" })).toContain("sunny in Rome");
    const call = { action: "proxy_call", call_as: "mcp__weather__get_weather_forecast", arguments: { city: "Oslo" } };
    expect(await chat("finder", "registry", call)).toContain("sunny in Oslo");
    expect(weather.seen.map(({ args }) => args)).toEqual([{ city: "Rome" }, { city: "Oslo" }]);
    expect(new Set(weather.authorizations)).toEqual(new Set([null]));
  });

  it("its entry's rules are the gateway's to enforce, and it finds no agents", async () => {
    expect(await chat("barred", "registry", find)).toContain('"found":false');
    expect(await chat("barred", "mcp__weather__get_weather_forecast", { city: "Rome" })).not.toContain("sunny");
    const other = { action: "find_tool", query: "send a message to the agent clerk" };
    expect(await chat("finder", "registry", other)).not.toContain("send_message");
    expect(await chat("finder", "mcp__clerk__send_message", { message: "hello" })).toContain("there is no tool");
    expect(weather.seen).toHaveLength(2);
  });

  it("pallas search finds it for people, with the run's token", async () => {
    const PALLAS_TOKEN = (await local.run("token", "-f", "manifests")).output.trim();
    const search = (...args: string[]) =>
      startCommand(["search", "get the weather forecast of a city", "--gateway", new URL(url).origin, ...args], {
        folder: local.folder,
        env: { ...local.env, PALLAS_TOKEN },
      }).ended;
    const line = /^mcp__weather__get_weather_forecast +[01]\.\d\d/m;
    await expect.poll(() => search(), patience).toMatchObject({ code: 0, stdout: expect.stringMatching(line) });
    const { stdout } = await search("--json");
    expect(JSON.parse(stdout)).toMatchObject({ matches: [{ name: "mcp__weather__get_weather_forecast" }, {}] });
  });

  it("tools of a server whose secret only agents hold are found, with the agent to ask", async () => {
    const token = (await local.run("token", "-f", "manifests")).output.trim();
    const caller = await openGatewayCaller(url, token);
    const query = "archive an invoice document";
    const ask = async () => JSON.stringify(await caller.call("registry", { action: "find_tool", query }));
    await expect.poll(ask, patience).toContain("mcp__clerk__send_message");
    expect(await ask()).toContain("archive_invoice_document");
    await caller.close();
    expect(vault.seen).toEqual([]);
    expect(new Set(vault.authorizations)).toEqual(new Set([secret]));
  });
});
