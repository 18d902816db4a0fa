// `pallas up` with a gateway: the token of the run lets its user in, nobody else, and ends with the run.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { agentManifest } from "./local/agents.ts";
import { startCommand } from "./local/command.ts";
import { Local } from "./local/local.ts";

const withGateway = (port: number) => (text: string) => {
  const line = `\n  gateway: { service: { port: ${port} } }`;
  return /\n {2}gateway: /.test(text)
    ? text.replace(/\n {2}gateway: .*/, line)
    : text.replace("\nspec:", `\nspec:${line}`);
};

describe("CLI-1 MGM-1 a gateway of pallas up", () => {
  let local: Local;
  let url: URL;
  beforeAll(async () => {
    local = await Local.create(await findFreePorts(1));
    const port = local.port + 8;
    url = new URL(`http://localhost:${port}/mcp`);
    await local.edit("instance.yaml", withGateway(port));
    await local.write("agents.yaml", agentManifest("clerk"));
    local.up();
    await local.started();
  });
  afterAll(() => local.remove());

  const connect = async (token: string) => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    return client;
  };

  it("is named below the table, and lets in whoever holds the token that pallas token prints", async () => {
    expect(local.stdout).toMatch(new RegExp(`^\\S+-gateway ready: ${url}, token: pallas token$`, "m"));
    const { code, output } = await local.run("token", "-f", "manifests");
    expect(code).toBe(0);
    expect(output).toMatch(/^[-\w]{43}\n$/);
    const client = await connect(output.trim());
    expect(client.getServerVersion()?.name).toBe("pallas-management");
    await client.close();
    expect((await stat(join(local.state, "secrets/run-token"))).mode & 0o777).toBe(0o600);
    expect(local.stdout + local.stderr).not.toContain(output.trim());
    expect((await fetch(url, { method: "POST" })).status).toBe(401);
  });

  it("UI-1 serves its dashboard where the last line says, which has no token in what goes into a file", async () => {
    const [, link = "none"] = /^dashboard: (\S+)$/m.exec(local.stdout) ?? [];
    expect(link).toBe(`${url.origin}/ui/`);
    const page = await (await fetch(link)).text();
    const [, script = "none"] = /src="(assets\/[^"]+)"/.exec(page) ?? [];
    const answer = await fetch(new URL(script, link));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(await (await fetch(new URL("config.json", link))).json()).toMatchObject({ local: true });
  });

  it("leads pallas chat to an agent, with the token and not without", async () => {
    const PALLAS_TOKEN = (await local.run("token", "-f", "manifests")).output.trim();
    const chat = (env: NodeJS.ProcessEnv, ...args: string[]) =>
      startCommand(["chat", "clerk", "-m", "hello", "--gateway", url.origin, ...args], {
        folder: local.folder,
        env: { ...local.env, ...env },
      }).ended;
    expect(await chat({ PALLAS_TOKEN })).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") });
    expect(await chat({})).toMatchObject({ code: 1, stderr: expect.stringContaining("set PALLAS_TOKEN") });
    expect(await chat({ PALLAS_TOKEN: "another" })).toMatchObject({ code: 1, stderr: expect.stringContaining("401") });
    expect(await chat({ PALLAS_TOKEN }, "--registry", "http://localhost:1")).toMatchObject({ code: 2 });
  });

  it("goes and comes with an edit, of which agents hear by a restart", async () => {
    const before = await local.pids(1);
    await local.edit("instance.yaml", (text) => text.replace(/\n {2}gateway: .*\n/, "\n"));
    const isThere = () =>
      fetch(url, { method: "POST" }).then(
        ({ status }) => status === 401,
        () => false,
      );
    await expect.poll(isThere, { timeout: 20_000 }).toBe(false);
    expect((await local.run("token", "-f", "manifests")).code).toBe(1);
    await local.edit("instance.yaml", withGateway(Number(url.port)));
    await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
    await expect.poll(() => local.pids(1), { timeout: 20_000 }).not.toEqual(before);
  });

  it("its token ends with the run", async () => {
    expect(await local.signal("SIGTERM")).toBe(0);
    expect((await local.run("token", "-f", "manifests")).code).toBe(1);
  });
});
