// `pallas chat` as scripts and people without a terminal run it: through the registry of a running `pallas up`.
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { moreAgents, pixel } from "./local/agents.ts";
import { startCommand, type Command, type CommandOptions, type Ended } from "./local/command.ts";
import { Local } from "./local/local.ts";
import { startToolServer } from "./local/tool-server.ts";

let local: Local;
let stopTools: () => void;
beforeAll(async () => {
  const toolPort = await findFreePorts(1);
  stopTools = startToolServer(toolPort);
  local = await Local.create(toolPort);
  await local.write("more.yaml", moreAgents);
  await writeFile(join(local.folder, "pixel.dat"), pixel);
  local.up();
  await local.started();
});
afterAll(async () => {
  stopTools();
  await local.remove();
});

const start = (args: readonly string[], options: Partial<CommandOptions> = {}): Command =>
  startCommand(["chat", "--registry", local.registryUrl, ...args], {
    folder: local.folder,
    env: local.env,
    ...options,
  });
const chat = (args: readonly string[], options: Partial<CommandOptions> = {}): Promise<Ended> =>
  start(args, options).ended;

async function answered(...args: string[]): Promise<{ text: string; isError: boolean; sessionId: string }> {
  const { stdout } = await chat([...args, "--json"]);
  return JSON.parse(stdout);
}

describe("CLI-4 pallas chat without a terminal", () => {
  test("-m gives the answer on standard output, and nothing else anywhere", async () => {
    expect(await chat(["clerk", "-m", "Good **morning**!"])).toEqual({
      code: 0,
      stdout: "Good **morning**!\n",
      stderr: "",
    });
  });

  test("a message comes from a pipe, and goes through agent and tool", async () => {
    const input =
      '***CALL_TOOL clerk__clerk {"message": "***CALL_TOOL toolbox__word_count {\\"text\\": \\"a b c\\"}"}\n';
    expect(await chat(["concierge"], { input })).toMatchObject({ code: 0, stdout: "3\n" });
  });

  test("--json names the session, --session goes on with it, and an unknown one is refused", async () => {
    const { text, isError, sessionId } = await answered("clerk", "-m", "***FIXED_RESPONSE blue");
    expect({ text, isError }).toEqual({ text: "blue", isError: false });
    expect((await answered("clerk", "-m", "hello", "--session", sessionId)).text).toBe("blue");
    expect((await answered("clerk", "-m", "hello")).text).toBe("hello");
    expect(await chat(["clerk", "-m", "hello", "--session", "nope"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^clerk: session_id is not known to this agent/),
    });
  });

  test("images are sent by path, by what they are and not by how they are called", async () => {
    expect(await chat(["seer", "-m", "look", "--image", "pixel.dat"])).toMatchObject({ code: 0, stdout: "look\n" });
    expect(await chat(["editor", "-m", "look", "--image", "pixel.dat"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("declared without vision"),
    });
    expect(await chat(["seer", "-m", "look", "--image", "manifests/agents.yaml"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("expected a PNG, JPEG, GIF or WebP file"),
    });
  });

  test("what a model writes commands no terminal, in an answer and in JSON", async () => {
    const input = "\u001b]0;owned\u0007\u001b[2Jdone\u202e";
    expect(await chat(["clerk"], { input })).toMatchObject({ code: 0, stdout: "done\n" });
    const { stdout } = await chat(["clerk", "--json"], { input });
    expect(stdout).toContain(String.raw`"text":"\u001b]0;owned\u0007\u001b[2Jdone\u202e"`);
  });

  test("Ctrl-C ends with 130, and the agent's call with it", async () => {
    const log = () => readFile(join(local.state, "logs/default_snail.log"), "utf8");
    const histories = async () =>
      (await readdir(join(local.state, "histories/_default_snail"), { recursive: true }).catch(() => [])).filter(
        (name) => name.endsWith(".jsonl"),
      );
    const before = (await histories()).length;
    expect(await log()).not.toContain("call cancelled by the caller");
    const running = start(["snail", "-m", "slowly"]);
    // What is said is stored before the model is asked.
    await expect
      .poll(async () => (await histories()).length, { timeout: 10_000, interval: 20 })
      .toBeGreaterThan(before);
    running.signal("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stdout: "" });
    await expect.poll(log, { timeout: 1_000 }).toContain("call cancelled by the caller");
    expect(await log()).toMatch(/"outcome":"cancelled"/);
  });

  test("what is wrong with the command is misuse, and says the cure", async () => {
    expect(await chat(["-m", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("clerk, concierge, diary"),
    });
    expect(await chat(["clerk"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("standard input was empty"),
    });
    expect(await chat(["clerk", "-m", "x", "--registry", "nowhere"])).toMatchObject({ code: 2 });
    expect(await chat(["clerk", "-m", "x"], { env: { ...local.env, PALLAS_TOKEN: "a\nb" } })).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^pallas: PALLAS_TOKEN has characters that no token has/),
    });
  });

  test("an agent that is not there, and a registry that is not there, are told with the cure", async () => {
    expect(await chat(["clrk", "-m", "x"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^pallas: the registry lists no agent "clrk" \(did you mean "clerk"\?\)/),
    });
    const nobody = await findFreePorts(1);
    expect(await chat(["clerk", "-m", "x", "--registry", `http://localhost:${nobody}`])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not answer \(ECONNREFUSED\); is "pallas up" running\?/),
    });
  });
});

/**
 * A registry whose words nobody should trust, and an agent that lets nobody in.
 * @param agentHost where the agent is said to be
 */
async function startStranger(
  readyReplicas: number,
  agentHost = "127.0.0.1",
): Promise<{ url: string; tokens: (string | undefined)[] }> {
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.url !== "/mcp") {
      const name = "com.example/stranger";
      const remotes = [{ type: "streamable-http", url: `http://${agentHost}:${port}/mcp` }];
      const runtime = { readyReplicas, message: "waits for \u001b]0;owned\u0007clerk" };
      const entry = { server: { name, description: "x", remotes }, _meta: { "ca.helu.pallas/runtime": runtime } };
      response.end(JSON.stringify({ servers: [entry] }));
      return;
    }
    tokens.push(request.headers.authorization);
    response.writeHead(401).end();
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : "";
  const url = `http://127.0.0.1:${port}`;
  return { url, tokens };
}

describe("CLI-4 pallas chat with strangers", () => {
  test("the token of PALLAS_TOKEN goes to the agent, and into no output", async () => {
    const { url, tokens } = await startStranger(1);
    const env = { ...local.env, PALLAS_TOKEN: "secret-token" };
    const { code, stdout, stderr } = await chat(["stranger", "-m", "x", "--registry", url], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(new Set(tokens)).toEqual(new Set(["Bearer secret-token"]));
    expect(stderr).toContain("401");
    expect(stderr).not.toContain("secret-token");
  });

  test("SEC-8 the token goes to no other host than the registry's, unless that is named", async () => {
    const { url, tokens } = await startStranger(1, "127.0.0.2");
    const env = { ...local.env, PALLAS_TOKEN: "secret-token" };
    const { code, stderr } = await chat(["stranger", "-m", "x", "--registry", url], { env });
    expect(code).toBe(1);
    expect(new Set(tokens)).toEqual(new Set([undefined]));
    expect(stderr).toMatch(
      /^warning: PALLAS_TOKEN is not sent to 127\.0\.0\.2, since the registry is on 127\.0\.0\.1; add/,
    );
    await chat(["stranger", "-m", "x", "--registry", url, "--token-host", "127.0.0.2"], { env });
    expect(tokens).toContain("Bearer secret-token");
  });

  test("an agent that is not ready is not called, and what the registry says commands no terminal", async () => {
    const { url, tokens } = await startStranger(0);
    expect(await chat(["stranger", "-m", "x", "--registry", url])).toEqual({
      code: 1,
      stdout: "",
      stderr: 'pallas: agent "stranger" is not ready: waits for clerk; try again when it is\n',
    });
    expect(tokens).toEqual([]);
  });
});
