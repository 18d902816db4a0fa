import { describe, expect, test } from "vitest";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { onlyNamed, renderDesired, type Desired } from "./desired.ts";

type Files = Record<string, string>;

async function desire(files: Files, previous?: Desired, environment: Record<string, string> = {}): Promise<Desired> {
  const manifests = await readFolder(files);
  if (previous) moveFiles(previous, "/m", manifests.folder);
  const judged = judge(manifests, { mode: "local" }, environment);
  const desired = renderDesired(manifests, judged, {
    registryPort: 24_200,
    urlHost: "localhost",
    environment,
    previous,
    portsBefore: previous?.ports ?? new Map(),
    serverPorts: new Map<string, number>(),
    judgeProgram: () => "allowed" as const,
  });
  moveFiles(desired, manifests.folder, "/m");
  return desired;
}

/** Every reading has a folder of its own here; to the code it must look like one. */
function moveFiles({ listed, runnable, instanceFiles }: Desired, from: string, to: string): void {
  for (const entry of [...listed.values(), ...runnable.values()]) entry.file = entry.file.replace(from, to);
  for (const [key, file] of instanceFiles) instanceFiles.set(key, file.replace(from, to));
}

/** Agents that would be started anew, stopped or started when one follows the other. */
function changes(before: Desired, after: Desired) {
  const keys = new Set([...before.runnable.keys(), ...after.runnable.keys()]);
  return [...keys].filter((key) => before.runnable.get(key)?.fingerprint !== after.runnable.get(key)?.fingerprint);
}

const files = {
  "a.yaml":
    instanceYaml('servers: [{ name: s, url: "http://localhost:1/mcp" }]') +
    agentYaml("boss", "agents: [{ name: worker }]"),
  "b.yaml": agentYaml("worker", "instruction: one"),
  "c.yaml": agentYaml("loner", "instructionFrom: { configMapKeyRef: { name: p, key: k } }\nservers: [{ name: s }]"),
};

describe("DSC-1 an agent that is given the registry of its gateway", () => {
  const withPort = (port: number) => ({
    "a.yaml":
      instanceYaml(`gateway: { service: { port: ${port} } }`) +
      agentYaml("finder", "servers: [{ name: registry }]") +
      agentYaml("other"),
  });
  const urlOf = ({ runnable }: Desired): unknown =>
    JSON.parse(runnable.get("default/finder")?.runConfig ?? "").servers[0].url;

  test("reaches it where the gateway listens, and is started anew where that is another port", async () => {
    const before = await desire(withPort(25_000));
    expect(urlOf(before)).toBe("http://localhost:25000/registry/mcp");
    const after = await desire(withPort(25_001), before);
    expect(urlOf(after)).toBe("http://localhost:25001/registry/mcp");
    expect(changes(before, after)).toEqual(["default/finder"]);
  });
});

describe("CLI-1 an edit restarts what it changes and nothing else", () => {
  test("an instruction: its agent", async () => {
    const before = await desire(files);
    const after = await desire({ ...files, "b.yaml": agentYaml("worker", "instruction: two") }, before);
    expect(changes(before, after)).toEqual(["default/worker"]);
  });

  test("a description: its agent, and those that offer it as a tool", async () => {
    const before = await desire(files);
    const after = await desire(
      { ...files, "b.yaml": agentYaml("worker", "instruction: one\ndescription: New") },
      before,
    );
    expect(changes(before, after)).toEqual(["default/boss", "default/worker"]);
  });

  test("a server's URL: the agents that use it", async () => {
    const before = await desire(files);
    const after = await desire({ ...files, "a.yaml": files["a.yaml"].replace("localhost:1", "localhost:2") }, before);
    expect(changes(before, after)).toEqual(["default/loner"]);
  });

  test("a text in a ConfigMap, a title of the instance, an agent's labels: nobody", async () => {
    const before = await desire(files);
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: p }\ndata: { k: new }\n";
    const edited = {
      ...files,
      "p.yaml": text,
      "a.yaml": files["a.yaml"].replace("registryNamespace", "title: T\n  registryNamespace"),
    };
    expect(changes(before, await desire(edited, before))).toEqual([]);
  });

  test("CAT-11 the registry's namespace: nobody, since agents read their cards as they are asked for", async () => {
    const before = await desire(files);
    const named = files["a.yaml"].replace(/registryNamespace: \S+/, "registryNamespace: com.example.other");
    const after = await desire({ ...files, "a.yaml": named }, before);
    expect(changes(before, after)).toEqual([]);
    expect(after.runnable.get("default/loner")?.liveConfig).toContain('"com.example.other/loner"');
  });

  test("OPR-10 replicas: nobody, since one process is all there is", async () => {
    const before = await desire({ ...files, "b.yaml": agentYaml("worker", "scope: request") });
    const after = await desire({ ...files, "b.yaml": agentYaml("worker", "scope: request\nreplicas: 3") }, before);
    expect(changes(before, after)).toEqual([]);
    expect(after.runnable.get("default/worker")?.liveConfig).toContain('"severalPods": false');
  });

  test("CFG-6 a variable: the agents whose settings refer to it", async () => {
    const withVariable = { ...files, "a.yaml": files["a.yaml"].replace("http://localhost:1", "${HOST}") };
    const before = await desire(withVariable, undefined, { HOST: "http://a", OTHER: "1" });
    expect(changes(before, await desire(withVariable, before, { HOST: "http://a", OTHER: "2" }))).toEqual([]);
    expect(changes(before, await desire(withVariable, before, { HOST: "http://b" }))).toEqual(["default/loner"]);
  });

  test("an agent that is gone stops", async () => {
    const before = await desire(files);
    const { "c.yaml": _, ...others } = files;
    const after = await desire(others, before);
    expect([...after.runnable.keys()]).toEqual(["default/boss", "default/worker"]);
    expect([...after.listed.keys()]).toEqual(["default/boss", "default/worker"]);
  });
});

describe("CLI-1 a faulty edit leaves the last good state running", () => {
  test.each([
    ["a misspelt field", { "b.yaml": agentYaml("worker", "instrution: two") }],
    ["a text that is no YAML", { "b.yaml": "pallas.helu.ca: [" }],
    ["a reference to nothing", { "b.yaml": agentYaml("worker", "servers: [{ name: nope }]") }],
    ["a kind that is none", { "b.yaml": agentYaml("worker").replace("kind: PallasAgent", "kind: PallasAgnt") }],
    ["a faulty instance", { "a.yaml": files["a.yaml"].replace("registryNamespace", "registryNamspace") }],
    ["an instance's server gone", { "a.yaml": files["a.yaml"].replace(/servers: .*/, "") }],
  ])("%s", async (_, edit) => {
    const before = await desire(files);
    const after = await desire({ ...files, ...edit }, before);
    expect(changes(before, after)).toEqual([]);
    expect([...after.listed.keys()].toSorted()).toEqual(["default/boss", "default/loner", "default/worker"]);
    expect([...after.instances.keys()]).toEqual(["default/i"]);
    expect(after.ports).toEqual(before.ports);
  });

  test("what keeps running keeps its port", async () => {
    const before = await desire({ ...files, "b.yaml": agentYaml("worker", "port: 24301") });
    const edited = agentYaml("worker", "port: 24302\nservers: [{ name: nope }]");
    expect((await desire({ ...files, "b.yaml": edited }, before)).ports.get("default/worker")).toBe(24_301);
  });

  test("an agent that never was sound does not run, and its neighbours do", async () => {
    const desired = await desire({ ...files, "b.yaml": agentYaml("worker", "instrution: two") });
    expect([...desired.runnable.keys()]).toEqual(["default/boss", "default/loner"]);
    expect(desired.runnable.get("default/boss")?.dependencies).toEqual(["default/worker"]);
  });
});

test("CLI-1 --only runs the named agents and what they depend on", async () => {
  const desired = await desire(files);
  expect([...onlyNamed(desired, ["boss"]).runnable.keys()]).toEqual(["default/boss", "default/worker"]);
  expect([...onlyNamed(desired, ["default/loner"]).listed.keys()]).toEqual(["default/loner"]);
  expect([...onlyNamed(desired, []).runnable.keys()]).toHaveLength(3);
});

test("CAT-6 the time of an agent's or instance's last change stays as long as its spec, and moves with it", async () => {
  const long = "2001-01-01T00:00:00.000Z";
  const times = ({ listed, instances }: Desired) => [
    listed.get("default/worker")?.specChangedAt,
    instances.get("default/i")?.status?.specChangedAt,
  ];
  const first = await desire(files);
  const [worker, instance] = [first.listed.get("default/worker"), first.instances.get("default/i")];
  if (!worker || !instance) throw new Error("expected an agent and an instance, found less");
  worker.specChangedAt = long;
  first.instances.set("default/i", { ...instance, status: { specChangedAt: long } });

  const commented = {
    ...files,
    "a.yaml": `# a comment\n${files["a.yaml"]}`,
    "b.yaml": `# another\n${files["b.yaml"]}`,
  };
  expect(times(await desire(commented, first))).toEqual([long, long]);
  const title = files["a.yaml"].replace("registryNamespace", "title: Ours\n  registryNamespace");
  const [ofWorker, ofInstance = ""] = times(await desire({ ...files, "a.yaml": title }, first));
  expect([ofWorker, ofInstance > "2020"]).toEqual([long, true]);
});
