// `pallas up --host` as another machine sees it: a client in a network namespace of its own reads the catalogue and calls an
// agent by the host that the instance declares.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { agentManifest } from "./local/agents.ts";
import { startCommand } from "./local/command.ts";
import { Local } from "./local/local.ts";
import { createOtherMachine, needsOtherMachine, type OtherMachine } from "./local/other-machine.ts";

const host = "puck.test";
const client = join(import.meta.dirname, "local/remote-client.ts");

describe("CLI-1 pallas up for other machines", needsOtherMachine(), () => {
  let local: Local;
  let other: OtherMachine;
  beforeAll(async () => {
    other = await createOtherMachine(host);
    local = await Local.create(await findFreePorts(1));
    await local.edit("instance.yaml", (text) =>
      text.replace("\nspec:\n", `\nspec:\n  externalUrl: { host: ${host} }\n`),
    );
    // What a host is declared for has a port of its own.
    const clerk = `  port: ${local.port + 1}\n`;
    await local.write(
      "agents.yaml",
      agentManifest("clerk", clerk) +
        agentManifest("concierge", `  port: ${local.port + 2}\n  agents: [{ name: clerk }]\n`),
    );
    local.up("--host", "0.0.0.0");
    await local.started();
  });
  afterAll(async () => {
    await local.remove();
    await other.remove();
  });

  const askFrom = async (registryHost: string, token: string): Promise<unknown> =>
    JSON.parse(
      await other.node([client, `http://${registryHost}:${local.port}/.well-known/mcp/server.json`, "clerk"], {
        TOKEN: token,
      }),
    );

  test("a client elsewhere finds an agent by the declared host, and calls it with the token", async () => {
    const token = await readFile(join(local.state, "token"), "utf8");
    expect(local.stderr).toContain(`with the token in ${join(local.state, "token")}, shown this once: ${token}\n`);
    expect(await askFrom(host, token)).toEqual({
      status: 200,
      url: `http://${host}:${local.port + 1}/mcp`,
      withoutToken: expect.stringMatching(/^refused: .*(401|token)/i),
      withToken: "from afar",
    });
    expect(await askFrom(host, "x".repeat(43))).toMatchObject({ withToken: expect.stringMatching(/^refused: /) });
  });

  test("the address by itself is refused, as one line said at the start", async () => {
    expect(await askFrom(other.address, "")).toEqual({ status: 403 });
    expect(local.stderr).toMatch(
      /^listening on every address of this machine: .* under the names localhost, puck\.test; any other Host gets 403/m,
    );
  });

  test("programs of this machine need no token: an agent calls another, and so does a person", async () => {
    const admin = (await local.told()).endpoints.map(({ adminUrl }) => new URL(adminUrl).hostname);
    expect(new Set(admin)).toEqual(new Set(["127.0.0.1"]));
    const client = new Client({ name: "local-serving-test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost:${local.port + 2}/mcp`)));
    const message = '***CALL_TOOL clerk__clerk {"message":"hello"}';
    const { content } = await client.callTool({ name: "send_message", arguments: { message } });
    await client.close();
    expect(content).toEqual([{ type: "text", text: "hello" }]);
    // The chat goes where the catalogue says, which this machine does not know by that name.
    const { code, stderr } = await startCommand(["chat", "clerk", "-m", "x", "--registry", local.registryUrl], local)
      .ended;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(host) });
  });
});

describe("CLI-1 pallas up for other machines that need no token", needsOtherMachine(), () => {
  test("lets everybody in with --no-token, and says so", async () => {
    const other = await createOtherMachine(host);
    const local = await Local.create(await findFreePorts(1));
    onTestFinished(async () => {
      await local.remove();
      await other.remove();
    });
    await local.edit("instance.yaml", (text) =>
      text.replace("\nspec:\n", `\nspec:\n  externalUrl: { host: ${host} }\n`),
    );
    await local.write("agents.yaml", agentManifest("clerk", `  port: ${local.port + 1}\n`));
    local.up("--host", "0.0.0.0", "--no-token");
    await local.started();
    const asked = await other.node([client, `http://${host}:${local.port}/.well-known/mcp/server.json`, "clerk"]);
    expect(JSON.parse(asked)).toMatchObject({ status: 200, withoutToken: "from afar", withToken: "from afar" });
    expect(local.stderr).toContain("can read the catalogue and call agents, without a token, under the names");
    expect(existsSync(join(local.state, "token"))).toBe(false);
  });
});
