// `pallas agent`: one agent in the foreground, as people run it to look at it alone.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFreePorts, hold } from "../../lib/process/testing/free-ports.ts";
import { agentManifest, moreAgents } from "./local/agents.ts";
import { startCommand, type Command } from "./local/command.ts";
import { Local } from "./local/local.ts";

let toolPort: number;
beforeAll(async () => {
  toolPort = await findFreePorts(1);
});

async function createLocal(): Promise<Local> {
  const local = await Local.create(toolPort);
  onTestFinished(() => local.remove());
  await local.write("more.yaml", moreAgents);
  return local;
}

const start = (local: Local, ...args: string[]): Command =>
  startCommand(["agent", ...args, "-f", "manifests", "--port", String(local.port)], local);

async function connect(port: number): Promise<Client> {
  const client = new Client({ name: "single-agent-test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`)));
  return client;
}

describe("CLI-2 pallas agent", () => {
  test("runs one agent without what it uses, names what is missing, and leaves no secret behind", async () => {
    const local = await createLocal();
    const command = start(local, "concierge");
    onTestFinished(() => command.signal("SIGKILL"));
    await command.until(/concierge ready: /);
    const client = await connect(local.port);
    const { content } = await client.callTool({ name: "send_message", arguments: { message: "hi" } });
    await client.close();
    expect(content).toEqual([{ type: "text", text: "hi" }]);
    command.signal("SIGINT");
    const { code, stdout, stderr } = await command.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `concierge ready: http://localhost:${local.port}/mcp\n` });
    expect(stderr).toMatch(
      /^warning: the agent "clerk" that it uses is not running on port \d+; calls of it will fail$/m,
    );
    expect(stderr).toMatch(/^concierge \| INFO agent started /m);
    expect(stderr).toMatch(/^concierge \| INFO call answered /m);
    expect(await readdir(join(local.state, "agents/concierge/logs"))).toHaveLength(1);
    expect(await readdir(join(local.state, "agents/concierge"))).not.toContain("secrets");
  });

  test("names the tool servers that it uses and that are not running", async () => {
    const local = await createLocal();
    const server =
      "apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasServer\nmetadata: { name: tools }\n" +
      "spec: { instanceRef: { name: quickstart }, local: { command: node } }\n";
    await local.write("servers.yaml", server);
    await local.write("user.yaml", agentManifest("user", "  servers: [{ name: tools }]\n"));
    const command = start(local, "user");
    onTestFinished(() => command.signal("SIGKILL"));
    await command.until(/user ready: /);
    command.signal("SIGINT");
    expect((await command.ended).stderr).toMatch(
      /^warning: the tool server "tools" that it uses is not running on port \d+; calls of it will fail; pallas up --only user starts it too$/m,
    );
  });

  test("Ctrl-C lets a call in flight end", async () => {
    const local = await createLocal();
    const command = start(local, "snail");
    onTestFinished(() => command.signal("SIGKILL"));
    await command.until(/snail ready: /);
    const client = await connect(local.port);
    const progress = Promise.withResolvers<void>();
    const answer = client.callTool(
      { name: "send_message", arguments: { message: "slowly" } },
      { onprogress: () => progress.resolve() },
    );
    await progress.promise;
    command.signal("SIGINT");
    expect((await answer).content).toEqual([{ type: "text", text: "slowly" }]);
    await client.close();
    expect(await command.ended).toMatchObject({ code: 0 });
  });

  test("a name that is not there is misuse; a problem and a port that is taken end with 1", async () => {
    const local = await createLocal();
    expect(await start(local, "snale").ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^pallas: no agent is named "snale" \(did you mean "snail"\?\)/),
    });
    const holder = await hold(local.port);
    onTestFinished(() => void holder.close());
    expect(await start(local, "snail").ended).toEqual({
      code: 1,
      stdout: "",
      stderr: `pallas: port ${local.port} is in use by another program; stop that program, or choose another --port\n`,
    });
    await local.edit("more.yaml", (text) => text.replace("slow.x", "nope.x"));
    expect(await start(local, "snail").ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/spec\.model: [^]*\npallas: agent "snail" cannot run; correct the errors above\n$/),
    });
  });
});
