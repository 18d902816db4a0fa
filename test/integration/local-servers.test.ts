// `pallas up` with tool servers of its own: a published package that an agent uses as it is, and programs of this machine, whose secrets
// only they have. Built programs; npx is this machine's, and asks the registry that its user has configured.
import { appendFile, cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { isOfKind, kinds } from "../../crds/kinds.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { pages } from "../docs/pages.ts";
import { needs } from "../tools/needs.ts";
import { agentManifest } from "./local/agents.ts";
import { Local, startMs } from "./local/local.ts";
import { descendantsOf, listProcesses } from "./local/processes.ts";
import { stdioServer } from "./local/stdio-server.ts";

const canary = "canary-4f1c9e7b2d8a";
/** npm may have to fetch the package. */
const fetchMs = 180_000;
const serverManifest = (name: string, spec: string): string =>
  `---\napiVersion: pallas.helu.ca/v1alpha1\nkind: PallasServer\nmetadata: { name: ${name} }\nspec:\n  instanceRef: { name: quickstart }\n${spec}`;
const program = (name: string, more = ""): string =>
  serverManifest(name, `  local: { command: node, args: [server.mjs, ${name}] }\n${more}`);
const withSecret = `  env:
    - { name: TOKEN, valueFrom: { secretKeyRef: { name: program-keys, key: token } } }
    - { name: FILLED, value: "Bearer \${LOCAL_TOKEN}" }
`;
const secret = `---\napiVersion: v1\nkind: Secret\nmetadata: { name: program-keys }\nstringData: { token: ${canary} }\n`;

let local: Local;
afterEach(({ task }) => {
  if (task.result?.state === "fail") process.stderr.write(`${local.stdout}\n${local.stderr}\n`);
});

/** An instance without the quickstart's own agents. */
async function createLocal(servers: string, agent = "  servers: [{ name: tools }]\n"): Promise<void> {
  local = await Local.create(await findFreePorts(1));
  onTestFinished(() => local.remove());
  await local.write("agents.yaml", agentManifest("clerk", agent));
  await local.write("server.mjs", stdioServer);
  await local.write("servers.yaml", servers);
}

async function callTool(tool: string, given: object = {}, agent = "clerk"): Promise<string> {
  const message = `***CALL_TOOL ${tool} ${JSON.stringify(given)}`;
  const { output } = await local.run("chat", agent, "--registry", local.registryUrl, "-m", message);
  return output.trim();
}

async function serverStatus(name: string) {
  const { resources } = await local.told();
  return resources.filter(isOfKind(kinds.PallasServer)).find(({ metadata }) => metadata.name === name)?.status;
}

/** Of the bridge before it, whose configuration names it. */
async function bridgeOf(name: string): Promise<number> {
  const found = (await listProcesses()).filter(
    ({ command, environment }) =>
      command.endsWith("bridge.js") && environment.includes(`${local.state}/run-configs/_server_default_${name}.json`),
  );
  expect(found).toHaveLength(1);
  return found[0]?.pid ?? 0;
}

describe("DSC-6 a published package under pallas up", { timeout: fetchMs + startMs }, () => {
  test(
    "examples/tool-servers: an agent uses it unchanged, and over a kill -9 of it at most one call is lost",
    needs("ps"),
    async () => {
      local = await Local.create(await findFreePorts(1));
      onTestFinished(() => local.remove());
      await cp(join(import.meta.dirname, "../../examples/tool-servers"), join(local.folder, "library"), {
        recursive: true,
      });
      // Else it is kept beside the package, for everybody who runs it.
      const memory = join(local.folder, "memory.json");
      const servers = join(local.folder, "library/servers.yaml");
      await appendFile(servers, `  env: [{ name: MEMORY_FILE_PATH, value: ${memory} }]\n`);
      local.up("-f", "library", "--only", "librarian", "--trust");
      await expect.poll(() => local.stdout, { timeout: fetchMs }).toMatch(/^memory +npm +ready +http:/m);
      expect(local.stdout).toMatch(/^librarian +passthrough +ready /m);
      const entity = { name: "Ada", entityType: "person", observations: ["counts"] };
      expect(await callTool("memory__create_entities", { entities: [entity] }, "librarian")).toContain("Ada");
      expect((await serverStatus("memory"))?.toolCount).toBeGreaterThan(5);

      const isServer = ({ command }: { command: string }) => /node .*server-memory/.test(command);
      const running = descendantsOf(await bridgeOf("memory"), await listProcesses()).filter(isServer);
      expect(running.length).toBeGreaterThan(0);
      for (const { pid } of running) process.kill(pid, "SIGKILL");
      const answers = [
        await callTool("memory__read_graph", {}, "librarian"),
        await callTool("memory__read_graph", {}, "librarian"),
      ];
      expect(answers[1]).toContain("Ada");
      const others = descendantsOf(await bridgeOf("memory"), await listProcesses()).filter(isServer);
      expect(others.length).toBeGreaterThan(0);
      expect(others.filter(({ pid }) => running.some((before) => before.pid === pid))).toEqual([]);
    },
  );
});

describe("DSC-6 docs/tool-servers.md", { timeout: fetchMs + startMs }, () => {
  test(
    "its first server, and its program of this machine, run with the commands that it names",
    needs("ps"),
    async () => {
      local = await Local.create(await findFreePorts(1));
      onTestFinished(() => local.remove());
      const { blocks, spans } = pages.find(({ path }) => path === "docs/tool-servers.md") ?? { blocks: [], spans: [] };
      const shown = blocks.map(({ text }) => text).filter((text) => /name: (memory|notes) \}/.test(text));
      expect(shown).toHaveLength(2);
      const office = `apiVersion: pallas.helu.ca/v1alpha1
kind: PallasInstance
metadata: { name: office }
spec: { registryNamespace: com.example.office, defaultModel: passthrough }
`;
      await mkdir(join(local.folder, "page/tools"), { recursive: true });
      await writeFile(join(local.folder, "page/office.yaml"), [office, ...shown].join("\n---\n"));
      await writeFile(join(local.folder, "page/tools/package.json"), '{ "type": "module" }');
      await writeFile(join(local.folder, "page/tools/server.js"), stdioServer);
      const [command = "", message = ""] =
        spans
          .map((span) => /^(pallas chat archivist) -m '(.*)'$/.exec(span)?.slice(1) ?? [])
          .find((found) => found.length > 0) ?? [];
      expect(spans).toContain("pallas up --trust");
      expect(command).toBe("pallas chat archivist");
      local.up("-f", "page", "--trust");
      await expect.poll(() => local.stdout, { timeout: fetchMs }).toMatch(/^memory +npm +ready +http:/m);
      expect(local.stdout).toMatch(/^notes +local +ready +http:/m);
      const { code, output } = await local.run("chat", "archivist", "--registry", local.registryUrl, "-m", message);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("entities") });
    },
  );
});

describe("DSC-6 programs of this machine under pallas up", { timeout: 3 * startMs }, () => {
  test("one runs beside its manifest, with its user's home and none of the run's variables", async () => {
    await createLocal(program("tools"));
    local.variables = { MY_OWN_KEY: "not for servers" };
    local.up("--trust");
    await local.started();
    expect(local.stdout).toMatch(/^tools +local +ready +http:\/\/127\.0\.0\.1:\d+\/mcp$/m);
    expect(await callTool("tools__place")).toContain("/manifests");
    const names = await callTool("tools__variables");
    expect(names).toContain("HOME");
    expect(names).not.toMatch(/PALLAS_|MY_OWN_KEY/);
  });

  test("SEC-1 a secret is in the server's process, and in no other process, log or state of the run", async () => {
    await createLocal(`${program("tools", withSecret)}${secret}`);
    local.up("--trust", "--logs");
    await local.started();
    expect(await callTool("tools__variable", { name: "FILLED" })).toContain("Bearer first");
    const bridge = await bridgeOf("tools");
    const all = await listProcesses();
    const holders = all.filter(({ environment }) => environment.includes(canary));
    const servers = descendantsOf(bridge, all);
    expect(holders.length).toBeGreaterThan(0);
    expect(holders.filter(({ pid }) => servers.every((server) => server.pid !== pid))).toEqual([]);
    const files = await readdir(local.state, { recursive: true, withFileTypes: true });
    const withCanary: string[] = [];
    for (const file of files.filter((entry) => entry.isFile())) {
      const path = join(file.parentPath, file.name);
      if ((await readFile(path, "utf8")).includes(canary)) withCanary.push(path.slice(local.state.length + 1));
    }
    expect(withCanary).toEqual(["secrets/_default/program-keys/token"]);
    expect((await stat(join(local.state, withCanary[0] ?? ""))).mode & 0o777).toBe(0o600);
    expect(local.stdout + local.stderr).not.toContain(canary);
    expect(await local.signal("SIGTERM")).toBe(0);
    await expect(stat(join(local.state, "secrets"))).rejects.toThrow("ENOENT");
  });

  test("an edit starts that bridge anew and no agent, a new one is started, one that is gone ends", async () => {
    await createLocal(program("tools"));
    local.up("--trust");
    await local.started();
    const before = await local.pids(1);
    const bridge = await bridgeOf("tools");
    await local.edit("servers.yaml", () => program("tools", "  env: [{ name: MODE, value: rw }]\n") + program("more"));
    await expect.poll(() => local.stderr, { timeout: startMs }).toMatch(/edited: started more; restarted tools/);
    await expect.poll(() => local.stderr, { timeout: startMs }).toMatch(/^more: ready at http:/m);
    expect(await callTool("tools__variable", { name: "MODE" })).toContain("rw");
    expect(await bridgeOf("tools")).not.toBe(bridge);
    expect(await local.pids(1)).toEqual(before);

    const url = (await serverStatus("more"))?.url ?? "";
    await local.edit("servers.yaml", (text) => text.slice(0, text.lastIndexOf("---\n")));
    await expect.poll(() => local.stderr, { timeout: startMs }).toMatch(/edited: stopped more/);
    const isClosed = () =>
      fetch(url, { method: "POST" }).then(
        () => false,
        () => true,
      );
    await expect.poll(isClosed, { timeout: startMs }).toBe(true);
    expect(await serverStatus("more")).toBeUndefined();
  });

  test("one that cannot be started is told with its last words, and agents answer without it", async () => {
    await createLocal(program("tools").replace("server.mjs", "gone.mjs"));
    local.up("--trust");
    await local.started();
    expect(local.stdout).toMatch(/^tools +local +failing /m);
    expect(local.stdout).toMatch(/^ {2}tools: .*(gone\.mjs|MODULE_NOT_FOUND|Node\.js v)/m);
    const ready = (await serverStatus("tools"))?.conditions?.find(({ type }) => type === "Available");
    expect(ready).toMatchObject({ status: "False", reason: "ServerDown" });
    const { code, output } = await local.run("chat", "clerk", "--registry", local.registryUrl, "-m", "hello");
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("hello") });
    await local.edit("servers.yaml", (text) => text.replace("gone.mjs", "server.mjs"));
    await expect.poll(() => local.stderr, { timeout: startMs }).toMatch(/^tools: ready at http:/m);
  });

  test("SEC-8 none is started that nobody allowed; once allowed, it is in the next run, and another in its place is not", async () => {
    await createLocal(program("tools"));
    local.up();
    await local.started();
    expect(local.stdout).toMatch(/^tools +local +held +-$/m);
    expect(local.stdout).toMatch(
      /^ {2}tools: it would run, with your rights, node server\.mjs tools in \S+; .*--trust/m,
    );
    const isProgram = ({ command }: { command: string }) => command.includes("server.mjs tools");
    expect((await listProcesses()).filter(isProgram)).toEqual([]);
    await local.signal("SIGTERM");
    for (const args of [["--trust"], []]) {
      local.stdout = "";
      local.up(...args);
      await local.started();
      expect(local.stdout).toMatch(/^tools +local +ready /m);
      if (args.length > 0) await local.signal("SIGTERM");
    }
    await local.edit("servers.yaml", (text) => text.replace("mjs, tools]", "mjs, tools, more]"));
    await expect
      .poll(() => local.stderr, { timeout: startMs })
      .toMatch(/^tools: held: what it runs changed .*server\.mjs tools more in /m);
    await expect.poll(async () => (await listProcesses()).filter(isProgram), { timeout: startMs }).toEqual([]);
  });

  test("SEC-8 where nothing else can run either, the command ends and says what is held", async () => {
    await createLocal(program("tools"));
    await local.write("agents.yaml", "");
    const { code, output } = await local.run("up", "-f", "manifests", "--port", String(local.port));
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^pallas: nothing was started; tools: it would run/),
    });
  });
});
