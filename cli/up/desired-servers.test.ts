import { describe, expect, test } from "vitest";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder, serverYaml } from "../testing/manifests.ts";
import { onlyNamed, renderDesired, type Desired } from "./desired.ts";
import type { Verdict } from "./trust.ts";

interface Given {
  previous?: Desired;
  environment?: Record<string, string>;
  verdict?: Verdict;
}

/** Ports in the order of keys, as long as there is room. */
const portsOf = (keys: Iterable<string>) =>
  new Map([...keys].toSorted().map((key, at): [string, number] => [key, 24_400 + at]));

async function desire(text: string, { previous, environment = {}, verdict = "allowed" }: Given = {}) {
  const manifests = await readFolder({ "a.yaml": instanceYaml() + text });
  // Every reading has a folder of its own here; to the code it must look like one.
  for (const entry of previous?.servers.values() ?? []) entry.file = `${manifests.folder}/a.yaml`;
  for (const entry of previous?.runnable.values() ?? []) entry.file = `${manifests.folder}/a.yaml`;
  const judged = judge(manifests, { mode: "local" }, environment);
  const keys = judged.checked.servers.map(({ server }) => `server/default/${server.metadata.name}`);
  const desired = renderDesired(manifests, judged, {
    ...{ registryPort: 24_200, urlHost: "localhost", environment, judgeProgram: () => verdict },
    ...(previous && { previous }),
    portsBefore: previous?.ports ?? new Map(),
    serverPorts: new Map([...portsOf(keys), ...(previous?.serverPorts ?? [])]),
  });
  return { desired, folder: manifests.folder };
}

const memory = (more = "") =>
  serverYaml("memory", `package: { kind: npm, name: server-memory, version: 1.0.0 }\n${more}`);
const key = "server/default/memory";

describe("DSC-6 tool servers of a run", () => {
  test("a package is installed in a folder of its own, a program of this machine beside its manifest", async () => {
    const local = serverYaml("tools", "local: { command: node, args: [server.js], cwd: tools }");
    const { desired, folder } = await desire(memory() + local);
    const configs = [...desired.runnableServers.values()].map(({ port, config }) => ({ port, config }));
    expect(configs).toMatchObject([
      {
        port: 24_400,
        config: {
          ports: { http: 24_400 },
          target: { kind: "npm", package: { name: "server-memory", version: "1.0.0" } },
        },
      },
      { port: 24_401, config: { target: { command: ["node", "server.js"], cwd: `${folder}/tools` } } },
    ]);
    expect(configs[0]?.config.target).not.toHaveProperty("cwd");
    expect(desired.servers.get(key)).toMatchObject({ kind: "package", url: "http://127.0.0.1:24400/mcp" });
  });

  test("remote: with a secret behind a bridge, without one called directly", async () => {
    const withSecret = serverYaml(
      "a",
      'remote: { url: "https://a.example/mcp", headers: [{ name: X, valueFrom: { secretKeyRef: { name: s, key: k } } }] }',
    );
    const { desired } = await desire(withSecret + serverYaml("b", 'remote: { url: "https://b.example/mcp" }'));
    expect([...desired.servers.values()].map(({ url }) => url)).toEqual([
      "http://127.0.0.1:24400/mcp",
      "https://b.example/mcp",
    ]);
    expect([...desired.runnableServers.keys()]).toEqual(["server/default/a"]);
  });

  test("one that is switched off is known, and nothing is started", async () => {
    const { desired } = await desire(memory("active: false"));
    expect(desired.servers.get(key)?.held).toEqual({ reason: "Inactive", message: expect.stringContaining("active") });
    expect(desired.runnableServers.size).toBe(0);
  });

  test.each([
    ["unknown", "it would run, with your rights, "],
    ["changed", "what it runs changed since you allowed it, and is now "],
  ] as const)("SEC-8 a program that is %s is not started; a remote server is in any case", async (verdict, why) => {
    const secret = "[{ name: X, valueFrom: { secretKeyRef: { name: s, key: k } } }]";
    const remote = serverYaml("far", `remote: { url: "https://a.example/mcp", headers: ${secret} }`);
    const local = serverYaml("tools", "local: { command: ./evil.sh }");
    const { desired, folder } = await desire(memory() + remote + local, { verdict });
    expect([...desired.runnableServers.keys()]).toEqual(["server/default/far"]);
    const held = [...desired.servers.values()].map(({ name, held: because }) => [name, because?.message]);
    expect(Object.fromEntries(held)).toEqual({
      memory: expect.stringContaining(`${why}npx -y server-memory@1.0.0; `),
      tools: expect.stringContaining(`${why}./evil.sh in ${folder}; `),
      far: undefined,
    });
  });

  test("SEC-8 a secret that is rotated makes no other program, a variable that is added does", async () => {
    const programOf = async (more: string, environment = {}) => {
      const { desired } = await desire(memory(more), { environment });
      return desired.servers.get(key)?.program;
    };
    const env = 'env: [{ name: TOKEN, value: "${T}" }]';
    const before = await programOf(env, { T: "old" });
    expect(await programOf(env, { T: "new" })).toBe(before);
    expect(await programOf(`${env}\ntimeout: 5s`)).toBe(before);
    expect(await programOf('env: [{ name: TOKEN, value: "${T}" }, { name: A, value: b }]')).not.toBe(before);
  });

  test("CFG-6 a text with a variable becomes a file for this server alone, and a URL is filled in", async () => {
    const env = 'env: [{ name: TOKEN, value: "Bearer ${T}" }, { name: MODE, value: rw }]';
    const secret = "{ name: X, valueFrom: { secretKeyRef: { name: s, key: k } } }";
    const far = serverYaml("far", `remote: { url: "https://\${H}/mcp", headers: [${secret}] }`);
    const { desired } = await desire(memory(env) + far, { environment: { T: "canary", H: "h.example" } });
    const server = desired.runnableServers.get(key);
    expect(JSON.stringify(server?.config)).not.toContain("canary");
    expect(server?.config.target).toMatchObject({
      env: [
        { name: "TOKEN", secret: { name: "Pallas-filled", key: "memory.TOKEN" } },
        { name: "MODE", value: "rw" },
      ],
    });
    expect([...(server?.filled ?? [])]).toEqual([["Pallas-filled/memory.TOKEN", "Bearer canary"]]);
    expect(desired.runnableServers.get("server/default/far")?.config.target).toMatchObject({
      url: "https://h.example/mcp",
    });
  });
});

describe("CLI-1 an edit of a server", () => {
  const fingerprints = ({ runnableServers, runnable }: Desired) => ({
    server: runnableServers.get(key)?.fingerprint,
    agent: runnable.get("default/a")?.fingerprint,
  });
  const agent = agentYaml("a", "servers: [{ name: memory }]");

  test("restarts its bridge, and agents that name it go on", async () => {
    const { desired: before } = await desire(memory() + agent);
    const { desired: after } = await desire(memory("env: [{ name: A, value: b }]") + agent, { previous: before });
    expect(fingerprints(after).server).not.toBe(fingerprints(before).server);
    expect(fingerprints(after).agent).toBe(fingerprints(before).agent);
    expect(after.serverPorts.get(key)).toBe(24_400);
    expect(after.runnable.get("default/a")?.runConfig).toContain('"url": "http://127.0.0.1:24400/mcp"');
  });

  test("of its title, or of another server, restarts nothing", async () => {
    const { desired: before } = await desire(memory() + agent);
    const edited = memory("title: T") + serverYaml("other", "local: { command: x }") + agent;
    expect(fingerprints((await desire(edited, { previous: before })).desired)).toEqual(fingerprints(before));
  });

  test("that is faulty leaves it as it was, and one that is gone is gone", async () => {
    const { desired: before } = await desire(memory() + agent);
    const { desired: faulty } = await desire(memory("evn: []") + agent, { previous: before });
    expect(fingerprints(faulty)).toEqual(fingerprints(before));
    expect([...faulty.servers.keys()]).toEqual([key]);
    const { desired: gone } = await desire(agentYaml("a"), { previous: before });
    expect([gone.servers.size, gone.runnableServers.size]).toEqual([0, 0]);
  });
});

test("CLI-1 --only starts the servers of the agents it runs, and no others", async () => {
  const others = serverYaml("other", "local: { command: x }") + agentYaml("b", "servers: [{ name: other }]");
  const boss = agentYaml("boss", "agents: [{ name: a }]");
  const { desired } = await desire(memory() + agentYaml("a", "servers: [{ name: memory }]") + boss + others);
  expect([...onlyNamed(desired, ["boss"]).runnableServers.keys()]).toEqual([key]);
  expect([...onlyNamed(desired, ["b"]).servers.keys()]).toEqual(["server/default/other"]);
  expect(onlyNamed(desired, []).servers.size).toBe(2);
});
