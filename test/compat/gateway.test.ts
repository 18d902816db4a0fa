// The gateway as it is built, at the inspector's command line: what somebody with nothing but a token sees and does there.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestGateway } from "../../agent-runtime/testing/gateway.ts";
import { startAgent, type TestAgent } from "../../agent-runtime/testing/servers.ts";
import { personAs, startStateFileGateway, type StateFileGateway } from "../integration/state-file-gateway.ts";
import { findScript, openNpmPackages } from "./npm-packages.ts";

const run = promisify(execFile);
const installTimeoutMs = 900_000;
const name = "tech-research";
const state = `resource://agents/${name}/state`;
const listed = [state, "resource://approvals/pending", "resource://approval-policy/policy"];
const templates = ["resource://agents/{agent_id}/state", "resource://approvals/{call_id}"];

let home: string;
let script: string;
let agent: TestAgent;
let gateway: StateFileGateway;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "pallas-inspector-"));
  script = await findScript(await openNpmPackages("clients"), "@modelcontextprotocol/inspector");
  const { readLive, sign } = await createTestGateway();
  agent = await startAgent({ gateway: true }, { readLive });
  gateway = await startStateFileGateway({
    agents: [{ name, endpoint: { mcpUrl: agent.mcpUrl, adminUrl: agent.adminUrl } }],
    tokens: { "a-caller": personAs("caller") },
    agentsToken: await sign(),
  });
}, installTimeoutMs);
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await agent?.stop();
  await rm(home, { recursive: true, force: true });
});

describe.each(["legacy", "modern"])("MGM-2 MGM-3 the inspector's command line, protocol era %s", (era) => {
  async function inspect(...args: readonly string[]): Promise<string> {
    const token = ["--header", "Authorization: Bearer a-caller"];
    const common = ["--cli", `${gateway.url}/mcp`, "--transport", "http", "--protocol-era", era, ...token];
    const { PATH = "" } = process.env;
    const options = { timeout: 240_000, env: { PATH, HOME: home } };
    return (await run(process.execPath, [script, ...common, ...args], options)).stdout;
  }
  const read = async (...args: readonly string[]): Promise<unknown> => JSON.parse(await inspect(...args));

  test(
    "lists agents, reads the state of one and talks to it",
    async () => {
      expect(await read("--method", "resources/list")).toMatchObject({
        resources: expect.arrayContaining(listed.map((uri) => expect.objectContaining({ uri }))),
      });
      expect(await read("--method", "resources/templates/list")).toMatchObject({
        resourceTemplates: expect.arrayContaining(
          templates.map((uriTemplate) => expect.objectContaining({ uriTemplate })),
        ),
      });
      expect(await read("--method", "resources/read", "--uri", state)).toMatchObject({
        contents: [{ uri: state, text: expect.stringContaining('"idle"') }],
      });
      const args = ["--tool-arg", `agent_id=${name}`, "--tool-arg", "message=Good morning!"];
      expect(await read("--method", "tools/call", "--tool-name", "agents_prompt", ...args)).toMatchObject({
        content: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining("Good morning!") })]),
      });
    },
    installTimeoutMs,
  );

  test(
    "follows nothing: each command ends with its answer",
    async () => {
      await expect(inspect("--method", "resources/subscribe", "--uri", state)).rejects.toThrow(/Unsupported method/);
    },
    installTimeoutMs,
  );
});
