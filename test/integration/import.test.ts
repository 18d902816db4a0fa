// A project of another runtime moved in as its users do it: imported, filled in, checked and started by the built
// program, and then called by the Python SDK of MCP.
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { exampleProject } from "../../cli/import/testing/example-project.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { openPython } from "./agents/callers.ts";
import { startCommand, type Command } from "./local/command.ts";
import { startMs } from "./local/local.ts";

const python = await findPython();
const catalogueSchema = z.object({
  servers: z.array(
    z.object({ server: z.object({ name: z.string(), remotes: z.array(z.object({ url: z.string() })) }) }),
  ),
});

const present = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error("expected a value, found none");
  return value;
};

let folder: string;
let port: number;
let up: Command | undefined;

const env = (): NodeJS.ProcessEnv => ({ ...process.env, PALLAS_STATE_DIR: join(folder, "state") });
const pallas = (...args: string[]) => startCommand(args, { folder, env: env() }).ended;

async function catalogue(): Promise<Record<string, string | undefined>> {
  const response = await fetch(`http://localhost:${port}/.well-known/mcp/server.json`);
  const { servers } = catalogueSchema.parse(await response.json());
  return Object.fromEntries(servers.map(({ server: { name, remotes } }) => [name, remotes[0]?.url]));
}

/** The example with ports that are free here, and a model that needs no key. */
async function writeExample(): Promise<void> {
  const ports = new Map([8200, 8201, 8250].map((from, at) => [String(from), String(port + at)]));
  for (const [name, text] of Object.entries(exampleProject)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    const adapted = text
      .replaceAll(/\b8(?:200|201|250)\b/g, (found) => ports.get(found) ?? found)
      .replace("default_model: openai.my-model-name", "default_model: passthrough");
    await writeFile(join(folder, name), adapted);
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pallas-import-"));
  port = await findFreePorts(6);
  await writeExample();
});

afterAll(async () => {
  up?.signal("SIGINT");
  await up?.ended;
  await rm(folder, { recursive: true, force: true });
});

describe("CLI-3 a project that is imported", () => {
  test("says what was written, and what is left to do", async () => {
    const { code, stdout, stderr } = await pallas("import", ".");
    expect(code).toBe(0);
    expect(stdout).toContain(
      'pallas: instance "my-project", 1 tool server and 4 agents in instance.yaml, agents.yaml, servers.yaml, local/secrets.yaml',
    );
    expect(stdout).toContain(
      `then: pallas check --local -f pallas, and pallas up -f pallas --port ${port} --trust\nevery agent has a model\n`,
    );
    expect(stderr).toMatch(/: warning: mcp\.servers\.files\.args\[2\] is a path of this machine/);
  });

  test("is not imported twice over itself", async () => {
    const before = await readFile(join(folder, "pallas/agents.yaml"), "utf8");
    expect(await pallas("import", ".")).toEqual({
      code: 2,
      stdout: "",
      stderr: "pallas: -o pallas: has instance.yaml already; name another folder, or overwrite with --force\n",
    });
    expect(await readFile(join(folder, "pallas/agents.yaml"), "utf8")).toBe(before);
    expect((await pallas("import", ".", "--force")).code).toBe(0);
    expect(await readFile(join(folder, "pallas/agents.yaml"), "utf8")).toBe(before);
  });

  test("passes the check and runs once its variables are filled in", async () => {
    await cp(join(folder, ".env"), join(folder, "pallas/.env"));
    await appendFile(join(folder, "pallas/.env"), "NEO4J_TOKEN=t\nNEO4J_CYPHER_X_TEAM_KEY=k\n");
    expect(await pallas("check", "--local", "-f", "pallas")).toMatchObject({
      code: 0,
      stdout: "4 files read: 1 valid instance, 1 valid server and 4 valid agents, no errors\n",
    });
    up = startCommand(["up", "-f", "pallas", "--port", String(port)], { folder, env: env() });
    const expected = Object.fromEntries(
      ["jarvis", "tech-research", "summariser", "archivist"].map((name, at) => [
        `com.example.project/${name}`,
        // As the project's own configuration declares its host.
        `http://my-host.example.com:${port + 1 + at}/mcp`,
      ]),
    );
    await expect.poll(() => catalogue().catch(String), { timeout: startMs }).toEqual(expected);
  });

  test.skipIf(python === undefined)("answers a Python client, and its agents call each other as before", async () => {
    const jarvis = `http://localhost:${port + 1}/mcp`;
    const isServed = () =>
      fetch(jarvis).then(
        () => true,
        () => false,
      );
    await expect.poll(isServed, { timeout: startMs }).toBe(true);
    const caller = await openPython(await openEnvironment(present(python), 2), "auto")(jarvis);
    onTestFinished(() => caller.stop());
    expect(await caller.send({ message: "Good morning!" })).toMatchObject({ text: "Good morning!", isError: false });
    const message = '***CALL_TOOL tech_research__tech_research {"message": "What is known?"}';
    const { text, lines } = await caller.send({ message });
    expect(text).toContain("What is known?");
    expect(lines).toContain("tech_research/tech_research__tech_research: started");
  });
});
