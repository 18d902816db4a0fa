// `pallas up` and `pallas check` as users run them: the built program, on a copy of the quickstart, with free ports.
import { execFile } from "node:child_process";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFreePorts, hold } from "../../lib/process/testing/free-ports.ts";
import { agentManifest } from "./local/agents.ts";
import { Local, pallas, quickstart, startMs } from "./local/local.ts";
import { startToolServer } from "./local/tool-server.ts";

function loggerOf(line: string): string | undefined {
  const { logger }: { logger: string } = JSON.parse(line);
  return logger.split(".")[1];
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function catalogue(port: number): Promise<Record<string, string>> {
  const response = await fetch(`http://localhost:${port}/.well-known/mcp/server.json`);
  const { servers }: { servers: { server: { name: string; remotes: { url: string }[] } }[] } = JSON.parse(
    await response.text(),
  );
  return Object.fromEntries(servers.map(({ server }) => [server.name, server.remotes[0]?.url ?? ""]));
}

async function ask(url: string, message: string): Promise<string> {
  const client = new Client({ name: "local-mode-test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    const { content } = await client.callTool({ name: "send_message", arguments: { message } });
    return content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
  } finally {
    await client.close();
  }
}

let toolPort: number;
let stopTools: () => void;
beforeAll(async () => {
  toolPort = await findFreePorts(1);
  stopTools = startToolServer(toolPort);
});
afterAll(() => {
  stopTools();
});

async function createLocal(): Promise<Local> {
  const local = await Local.create(toolPort);
  onTestFinished(() => local.remove());
  return local;
}

describe("CLI-1 pallas up", () => {
  let local: Local;
  beforeAll(async () => {
    local = await Local.create(toolPort);
    local.up();
    await local.started();
  });
  afterAll(() => local.remove());
  afterEach(({ task }) => {
    if (task.result?.state === "fail") process.stderr.write(`${local.stdout}\n${local.stderr}\n`);
  });

  test("prints a table with every agent and the registry", () => {
    const rows = local.stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows.slice(0, 4)).toEqual([
      ["AGENT", "MODEL", "STATUS", "URL"],
      ["clerk", "passthrough", "ready", `http://localhost:${local.port + 1}/mcp`],
      ["concierge", "passthrough", "ready", `http://localhost:${local.port + 2}/mcp`],
      ["editor", "passthrough", "ready", `http://localhost:${local.port + 3}/mcp`],
    ]);
    expect(local.stdout).toContain(`registry ready: http://localhost:${local.port}/.well-known/mcp/server.json`);
    expect(local.stdout).not.toContain("\u001b");
  });

  test("the README's conversation works, found through the catalogue", async () => {
    const readme = await readFile(join(quickstart, "README.md"), "utf8");
    const said = [...readme.matchAll(/```\n((?:Good|\*\*\*).*)\n```/g)].map(([, message = ""]) => message);
    const url = (await catalogue(local.port))["com.example.quickstart/concierge"] ?? "";
    const answers: string[] = [];
    for (const message of said) answers.push(await ask(url, message));
    expect(answers).toEqual(["Good morning!", "What time is it?", "6"]);
  });

  test("state is for this user only, and every process has a log", async () => {
    expect((await stat(local.state)).mode & 0o777).toBe(0o700);
    const logs = await readdir(join(local.state, "logs"));
    expect(logs.toSorted()).toEqual([
      "default_clerk.log",
      "default_concierge.log",
      "default_editor.log",
      "gateway_default_quickstart-gateway.log",
      "registry.log",
    ]);
    const line: unknown = JSON.parse(
      (await readFile(join(local.state, "logs/default_clerk.log"), "utf8")).split("\n")[0] ?? "",
    );
    expect(line).toMatchObject({ level: expect.any(String), logger: expect.any(String), time: expect.any(String) });
  });

  test("an edit restarts exactly the agent that it changes", async () => {
    const before = await local.pids();
    await local.edit("agents.yaml", (text) => text.replace("You are an editor.", "You are a careful editor."));
    await expect
      .poll(() => local.stderr, { timeout: startMs })
      .toMatch(/edited: restarted editor\n[^]*editor: ready after/);
    const after = await local.pids();
    expect(after).toEqual({ ...before, editor: expect.any(Number) });
    expect(after["editor"]).not.toBe(before["editor"]);
    expect(isAlive(before["editor"] ?? 0)).toBe(false);
  });

  test("a faulty edit is named with its place, and nothing stops", async () => {
    const before = await local.pids();
    await local.edit("agents.yaml", (text) => text.replace("name: toolbox", "name: toolbx"));
    await expect
      .poll(() => local.stderr, { timeout: 5_000 })
      .toMatch(
        /manifests\/agents\.yaml:\d+:13: error: PallasAgent default\/clerk: spec\.servers\[0\]\.name: server "toolbx" does not exist \(did you mean "toolbox"\?\)/,
      );
    expect(await local.pids()).toEqual(before);
    const url = (await catalogue(local.port))["com.example.quickstart/clerk"] ?? "";
    expect(await ask(url, '***CALL_TOOL toolbox__word_count {"text": "still here"}')).toBe("2");
    await local.edit("agents.yaml", (text) => text.replace("name: toolbx", "name: toolbox"));
    await expect.poll(() => local.stderr, { timeout: 5_000 }).toContain("edited: all errors are corrected");
    expect(await local.pids()).toEqual(before);
  });

  test("CFG-6 a new value of a Secret reaches its file without a restart", async () => {
    const before = await local.pids();
    const token = () => readFile(join(local.state, "secrets/_default/keys/token"), "utf8");
    expect(await token()).toBe("a first");
    await local.edit(".env", (text) => text.replace("first", "second"));
    await expect.poll(token, { timeout: 5_000 }).toBe("a second");
    expect(await local.pids()).toEqual(before);
  });

  test("a new agent starts, a removed one stops, in the catalogue too", async () => {
    const added =
      "---\napiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\nmetadata: { name: guest }\nspec: { instanceRef: { name: quickstart } }\n";
    await writeFile(join(local.folder, "manifests/guest.yaml"), added);
    const names = async () => Object.keys(await catalogue(local.port)).map((name) => name.split("/")[1]);
    await expect.poll(() => local.stderr, { timeout: startMs }).toContain("guest: ready after");
    await expect.poll(names, { timeout: 5_000 }).toEqual(["clerk", "concierge", "editor", "guest"]);
    const { guest = 0 } = await local.pids(4);
    await rm(join(local.folder, "manifests/guest.yaml"));
    await expect.poll(names, { timeout: 15_000 }).toEqual(["clerk", "concierge", "editor"]);
    await expect.poll(() => isAlive(guest), { timeout: 15_000 }).toBe(false);
  });

  test("a crash is reported and the agent comes back", async () => {
    const before = await local.pids();
    process.kill(before["editor"] ?? 0, "SIGKILL");
    await expect
      .poll(() => local.stderr, { timeout: startMs })
      .toMatch(/editor: was ended by SIGKILL; .*trying again in [\d.]+ s[^]*editor: ready after/);
    expect(await local.pids()).toEqual({ ...before, editor: expect.any(Number) });
  });

  test("a second one on the same manifests is told who runs them", async () => {
    const { code, output } = await local.run("up", "-f", "manifests/agents.yaml", "-f", "manifests");
    expect(code).toBe(1);
    expect(output).toMatch(/^pallas: pallas up runs on these manifests already \(process \d+\); stop it first/);
  });

  test("Ctrl-C ends it well, with every process, and takes the Secrets from the disk", async () => {
    const pids = Object.values(await local.pids());
    expect(pids.filter(isAlive)).toHaveLength(3);
    expect(await local.signal("SIGINT")).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    await expect(catalogue(local.port)).rejects.toThrow("fetch failed");
    expect(await readdir(local.state)).not.toContain("secrets");
  });
});

test("CLI-1 a port that another program holds is named with agent and cure, and the others go on", async () => {
  const local = await createLocal();
  const holder = await hold(local.port + 3);
  onTestFinished(() => void holder.close());
  local.up();
  await local.started();
  expect(local.stderr).toContain(
    `editor: port ${local.port + 3} is in use by another program; stop that program, or give it a spec.port; trying again in`,
  );
  expect(local.stderr).toContain("concierge waits for it");
  expect(local.stdout).toMatch(/^clerk +passthrough +ready/m);
  expect(local.stdout).toMatch(/^editor +passthrough +failing/m);
  expect(local.stdout).toMatch(/^concierge +passthrough +waiting/m);
  await new Promise((resolve) => holder.close(resolve));
  await expect.poll(() => local.stderr, { timeout: startMs }).toContain("concierge: ready after");
  expect(await local.signal("SIGTERM")).toBe(0);
});

test("CLI-1 with --json every line of standard output is an object, from the first state to the stop", async () => {
  const local = await createLocal();
  local.up("--json", "--only", "clerk");
  await local.started();
  process.kill((await local.pids(1))["clerk"] ?? 0, "SIGKILL");
  const events = () =>
    local.stdout
      .trimEnd()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
  const phases = () => events().flatMap(({ event, phase }) => (event === "agent" ? [phase] : []));
  const expected = ["stopped", "starting", "ready", "failing", "starting", "ready"];
  await expect.poll(() => phases().slice(0, 6), { timeout: startMs }).toEqual(expected);
  expect(await local.signal("SIGINT")).toBe(0);
  expect(phases()).toEqual([...expected, "stopping", "stopped"]);
  const others = events().map(({ event }) => event);
  expect(others).toEqual(expect.arrayContaining(["judged", "registry", "settled", "stopping"]));
  // Registry and gateway first: nobody finds what is about to end, and nothing is reported missing that ends as it was told.
  const stops = others.slice(others.indexOf("stopping") + 1);
  expect(new Set(stops.slice(0, 4))).toEqual(new Set(["gateway", "registry"]));
  expect(stops.slice(4)).toEqual(["agent", "agent"]);
});

test("CLI-1 an agent has the same port in the next run, though another has come before it", async () => {
  const local = await createLocal();
  local.up("--only", "editor");
  await local.started();
  const before = (await catalogue(local.port))["com.example.quickstart/editor"];
  await local.signal("SIGINT");
  local.stdout = "";
  await local.write("aide.yaml", agentManifest("aide", ""));
  local.up("--only", "editor", "--only", "aide");
  await local.started();
  const after = await catalogue(local.port);
  expect(after["com.example.quickstart/editor"]).toBe(before);
  expect(after["com.example.quickstart/aide"]).toBe(`http://localhost:${local.port + 4}/mcp`);
});

test("LOG-2 PALLAS_LOG_FILE takes every process's lines, and PALLAS_LOG_STDERR=1 shows them whole", async () => {
  const local = await createLocal();
  const file = join(local.folder, "all.log");
  local.variables = { PALLAS_LOG_FILE: file, PALLAS_LOG_STDERR: "1" };
  local.up("--only", "editor");
  await local.started();
  await expect.poll(() => local.stderr, { timeout: 5_000 }).toContain('"message":"agent started"');
  const loggers = async () => new Set((await readFile(file, "utf8")).trimEnd().split("\n").map(loggerOf));
  await expect.poll(loggers, { timeout: 5_000 }).toEqual(new Set(["agent", "gateway", "registry"]));
});

test("CLI-1 no process is left five seconds after kill -9", async () => {
  const local = await createLocal();
  local.up();
  await local.started();
  const pids = Object.values(await local.pids());
  expect(pids.filter(isAlive)).toHaveLength(3);
  await local.signal("SIGKILL");
  await expect.poll(() => pids.filter(isAlive), { timeout: 5_000 }).toEqual([]);
  await expect.poll(() => catalogue(local.port).catch(() => "gone"), { timeout: 5_000 }).toBe("gone");
});

describe("CLI-1 how the program ends", () => {
  test("check: 0 for the quickstart, 1 for problems, 2 for misuse", async () => {
    const local = await createLocal();
    expect(await local.run("check", "-f", "manifests")).toMatchObject({
      code: 0,
      output: expect.stringContaining("no errors"),
    });
    await local.edit("agents.yaml", (text) => text.replace("description:", "descripton:"));
    expect(await local.run("check", "-f", "manifests")).toMatchObject({
      code: 1,
      output: expect.stringContaining('did you mean "description"'),
    });
    expect(await local.run("check", "-f", "nowhere")).toMatchObject({ code: 2 });
    expect(await local.run("check", "--nope")).toMatchObject({ code: 2 });
    expect(await local.run("chekc")).toEqual({
      code: 2,
      output: 'pallas: there is no command "chekc" (did you mean "check"?); pallas --help shows them all\n',
    });
    // Whoever reads may stop reading.
    const piped = await promisify(execFile)("sh", ["-c", `'${process.execPath}' '${pallas}' up --help | true`]);
    expect(piped).toEqual({ stdout: "", stderr: "" });
    expect(await local.run("--help")).toMatchObject({ code: 0, output: expect.stringContaining("Usage: pallas") });
  });

  test("up: 1 where nothing can run, 1 where the registry's port is taken, 2 for misuse", async () => {
    const local = await createLocal();
    const holder = await hold(local.port);
    onTestFinished(() => void holder.close());
    expect(await local.run("up", "-f", "manifests", "--port", String(local.port))).toEqual({
      code: 1,
      output: `pallas: port ${local.port} is in use by another program; stop that program, or choose another --port\n`,
    });
    expect(await local.run("-f", "state")).toMatchObject({
      code: 1,
      output: expect.stringContaining("there is no PallasInstance"),
    });
    expect(await local.run("up", "-f", "manifests", "--only", "editr")).toMatchObject({
      code: 2,
      output: expect.stringContaining('--only editr: no agent has this name (did you mean "editor"?)'),
    });
    expect(await local.run("up", "--port", "0")).toMatchObject({ code: 2 });
  });
});

test("a port that is taken is one sentence of the example's tool server, too", async () => {
  const port = await findFreePorts(1);
  const holder = await hold(port);
  onTestFinished(() => void holder.close());
  const env = { ...process.env, TOOL_PORT: String(port) };
  const ended = promisify(execFile)(process.execPath, [join(quickstart, "tool-server.ts")], { env });
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: `tool server: port ${port} is in use by another program; stop that program, or set TOOL_PORT and write that port into the URL of toolbox in instance.yaml\n`,
  });
});
