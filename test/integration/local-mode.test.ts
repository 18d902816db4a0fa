// `pallas up` and `pallas check` as users run them: the built program, on a copy of the quickstart, with free ports.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { localStateSchema, type LocalState } from "../../crds/local-state.ts";

const root = join(import.meta.dirname, "../..");
const quickstart = join(root, "examples/quickstart");
const pallas = join(root, "dist/pallas.js");
const startMs = 40_000;

/** Below the range from which systems hand out ports by themselves. */
async function findFreePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const servers = await Promise.allSettled(ports.map(hold));
    const held = servers.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
    if (held.length === count) return first;
  }
  throw new Error(`no ${count} free ports in a row were found in 50 tries`);
}

async function hold(port: number): Promise<Server> {
  const server = createServer();
  server.listen({ port, host: "127.0.0.1", exclusive: true });
  await once(server, "listening");
  return server;
}

/** A copy of the quickstart, run by `pallas up`. */
class Local {
  readonly folder: string;
  readonly port: number;
  stdout = "";
  stderr = "";
  private process: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  static async create(toolPort: number): Promise<Local> {
    const base = await mkdtemp(join(tmpdir(), "pallas-local-"));
    await cp(quickstart, join(base, "manifests"), { recursive: true });
    const local = new Local(base, await findFreePorts(5));
    await local.edit("instance.yaml", (text) => text.replace("localhost:24290", `localhost:${toolPort}`));
    const secret =
      "apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\nstringData: { token: 'a ${LOCAL_TOKEN}' }\n";
    await writeFile(join(base, "manifests/secret.yaml"), secret);
    await writeFile(join(base, "manifests/.env"), "LOCAL_TOKEN=first\n");
    return local;
  }

  get state(): string {
    return join(this.folder, "state");
  }

  private get env() {
    return { ...process.env, PALLAS_STATE_DIR: this.state, PALLAS_LOG_LEVEL: "INFO" };
  }

  up(): void {
    const child = spawn(process.execPath, [pallas, "up", "-f", "manifests", "--port", String(this.port)], {
      cwd: this.folder,
      env: this.env,
    });
    child.stdout.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.process = child;
  }

  /** Until the table is there. */
  async started(): Promise<void> {
    const check = (): void => {
      if (!this.stdout.includes("registry ready: ")) throw new Error(`no table yet; ${this.stdout}${this.stderr}`);
    };
    await vi.waitFor(check, { timeout: startMs });
  }

  /** A command that ends by itself. */
  async run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [pallas, ...args], { cwd: this.folder, env: this.env });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await once(child, "close");
    return { code: child.exitCode, output };
  }

  async edit(name: string, change: (text: string) => string): Promise<void> {
    const path = join(this.folder, "manifests", name);
    const before = await readFile(path, "utf8");
    const after = change(before);
    if (after === before) throw new Error(`expected an edit of ${name}, found nothing to change`);
    await writeFile(path, after);
  }

  async told(): Promise<LocalState> {
    return localStateSchema.parse(JSON.parse(await readFile(join(this.state, "local-state.json"), "utf8")));
  }

  /** Process ids of the agents, by name, once so many are told of: the file follows the terminal by a moment. */
  async pids(count = 3): Promise<Record<string, number>> {
    const { endpoints } = await vi.waitFor(
      async () => {
        const told = await this.told();
        if (told.endpoints.length !== count)
          throw new Error(`expected ${count} processes, found ${told.endpoints.length}`);
        return told;
      },
      { timeout: 5_000 },
    );
    return Object.fromEntries(endpoints.map(({ agent, pod }) => [agent, Number(pod.slice(agent.length + 1))]));
  }

  async signal(name: NodeJS.Signals): Promise<number | null> {
    const child = this.process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const closed = once(child, "exit");
    child.kill(name);
    await closed;
    return child.exitCode;
  }

  async remove(): Promise<void> {
    await this.signal("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }
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
let toolServer: ChildProcess;
beforeAll(async () => {
  toolPort = await findFreePorts(1);
  toolServer = spawn(process.execPath, [join(quickstart, "tool-server.ts")], {
    env: { ...process.env, PORT: String(toolPort) },
    stdio: "inherit",
  });
});
afterAll(() => {
  toolServer.kill();
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
        /manifests\/agents\.yaml:\d+:13: fault: PallasAgent default\/clerk: spec\.servers\[0\]\.name: server "toolbx" is not there \(did you mean "toolbox"\?\)/,
      );
    expect(await local.pids()).toEqual(before);
    const url = (await catalogue(local.port))["com.example.quickstart/clerk"] ?? "";
    expect(await ask(url, '***CALL_TOOL toolbox__word_count {"text": "still here"}')).toBe("2");
    await local.edit("agents.yaml", (text) => text.replace("name: toolbx", "name: toolbox"));
    await expect.poll(() => local.stderr, { timeout: 5_000 }).toContain("edited: no faults any more");
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
  test("check: 0 for the quickstart, 1 for faults, 2 for misuse", async () => {
    const local = await createLocal();
    expect(await local.run("check", "-f", "manifests")).toMatchObject({
      code: 0,
      output: expect.stringContaining("no faults"),
    });
    await local.edit("agents.yaml", (text) => text.replace("description:", "descripton:"));
    expect(await local.run("check", "-f", "manifests")).toMatchObject({
      code: 1,
      output: expect.stringContaining('did you mean "description"'),
    });
    expect(await local.run("check", "-f", "nowhere")).toMatchObject({ code: 2 });
    expect(await local.run("check", "--nope")).toMatchObject({ code: 2 });
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
