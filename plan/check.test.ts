import { describe, expect, it } from "vitest";
import { checkManifests, type Checked } from "./check.ts";
import { agentManifestOf, instanceManifestOf, serverManifestOf } from "./testing/resources.ts";

const check = (...values: unknown[]) =>
  checkManifests(
    values.map((value, source) => ({ source, value })),
    { mode: "cluster" },
  );
/** Which document, what it is, why and where. */
const told = ({ problems }: Checked<number>) =>
  problems.map(({ source, subject, reason, path }) => [source, subject, reason, path]);
const names = ({ accepted, runnable }: Checked<number>) => ({
  accepted: accepted.map(({ agent }) => agent.metadata.name),
  runnable: runnable.map(({ agent }) => agent.metadata.name),
});

describe("CFG-5 a sound set of manifests", () => {
  it("has no problems, whatever the order of its documents", () => {
    const research = agentManifestOf("research", { agents: [{ name: "archive" }] });
    const all = [research, instanceManifestOf(), agentManifestOf("archive")];
    for (const documents of [all, all.toReversed()]) {
      const checked = check(...documents);
      expect(told(checked)).toEqual([]);
      expect(checked.instances.map(({ metadata }) => metadata.name)).toEqual(["ouranos"]);
      expect(names(checked).runnable.toSorted()).toEqual(["archive", "research"]);
    }
  });

  it("of nothing is nothing", () => {
    expect(check()).toEqual({ problems: [], instances: [], servers: [], policies: [], accepted: [], runnable: [] });
  });

  it("a runnable agent comes with the agents of its own instance and namespace only", () => {
    const elsewhere = { namespace: "elsewhere" };
    const { runnable } = check(
      instanceManifestOf(),
      instanceManifestOf({}, { name: "other" }),
      instanceManifestOf({}, elsewhere),
      agentManifestOf("a"),
      agentManifestOf("b", { instanceRef: { name: "other" } }),
      agentManifestOf("c", {}, elsewhere),
    );
    expect(runnable.map(({ around }) => [...around.agents.keys()])).toEqual([["a"], ["b"], ["c"]]);
  });
});

describe("CFG-5 several problems are told at once, each with its document", () => {
  it("of one resource and of several", () => {
    const checked = check(
      instanceManifestOf(),
      agentManifestOf("a", { titel: "x", replicas: -1 }),
      agentManifestOf("b", { model: "google.x", servers: [{ name: "argos" }], replicas: 2 }),
    );
    expect(new Set(told(checked).map(String))).toEqual(
      new Set([
        "1,PallasAgent default/a,UnknownField,spec.titel",
        "1,PallasAgent default/a,InvalidField,spec.replicas",
        "2,PallasAgent default/b,ScopeNeedsSharedStore,spec.replicas",
        "2,PallasAgent default/b,ProviderNotFound,spec.model",
        "2,PallasAgent default/b,ServerNotFound,spec.servers[0].name",
      ]),
    );
    expect(checked.problems).toHaveLength(5);
    expect(names(checked)).toEqual({ accepted: [], runnable: [] });
  });

  it("an agent that is accepted but refers to nothing is listed, not run", () => {
    const checked = check(instanceManifestOf(), agentManifestOf("a", { servers: [{ name: "argos" }] }));
    expect(names(checked)).toEqual({ accepted: ["a"], runnable: [] });
  });

  it("a document of another kind is named, with the kind it may have meant", () => {
    const { problems } = check({ kind: "PallasAgnt", metadata: { name: "a" } }, { kind: "Pod" }, 5, null);
    expect(problems.map(({ source, subject, path }) => [source, subject, path])).toEqual([
      [0, "document default/a", "kind"],
      [1, "document default/?", "kind"],
      [2, "document default/?", "kind"],
      [3, "document default/?", "kind"],
    ]);
    expect(problems.map(({ message }) => message)).toEqual([
      'expected "PallasInstance", "PallasAgent", "PallasServer", "PallasPolicy", found "PallasAgnt" (did you mean "PallasAgent"?)',
      'expected "PallasInstance", "PallasAgent", "PallasServer", "PallasPolicy", found "Pod"',
      'expected "PallasInstance", "PallasAgent", "PallasServer", "PallasPolicy", found nothing',
      'expected "PallasInstance", "PallasAgent", "PallasServer", "PallasPolicy", found nothing',
    ]);
  });

  it("of two resources with one name the later is at fault; other kinds and namespaces do not count", () => {
    const checked = check(
      instanceManifestOf(),
      agentManifestOf("ouranos"),
      agentManifestOf("ouranos", { title: "again" }),
      instanceManifestOf({}, { namespace: "elsewhere" }),
    );
    expect(told(checked)).toEqual([[2, "PallasAgent default/ouranos", "DuplicateName", "metadata.name"]]);
    expect(checked.problems[0]?.message).toContain('another PallasAgent is already named "default/ouranos"');
    expect(names(checked).runnable).toEqual(["ouranos"]);
  });
});

describe("CFG-5 a faulty neighbour adds no noise", () => {
  it("an agent that calls a faulty agent is not at fault for it", () => {
    const checked = check(
      instanceManifestOf(),
      agentManifestOf("broken", { titel: "x" }),
      agentManifestOf("caller", { agents: [{ name: "broken" }] }),
    );
    expect(told(checked)).toEqual([[1, "PallasAgent default/broken", "UnknownField", "spec.titel"]]);
  });

  it("agents of a faulty instance say nothing about it: it says so itself", () => {
    const checked = check(instanceManifestOf({ defaultModel: "google.x" }), agentManifestOf("a"), agentManifestOf("b"));
    expect(told(checked)).toEqual([[0, "PallasInstance default/ouranos", "ProviderNotFound", "spec.defaultModel"]]);
    const misspelt = check(instanceManifestOf({ titel: "x" }), agentManifestOf("a"));
    expect(told(misspelt)).toEqual([[0, "PallasInstance default/ouranos", "UnknownField", "spec.titel"]]);
  });

  it("of agents before a cycle only those in it are at fault", () => {
    const circle = (name: string, next: string) => agentManifestOf(name, { agents: [{ name: next }] });
    const checked = check(instanceManifestOf(), circle("a", "b"), circle("b", "c"), circle("c", "b"));
    expect(told(checked)).toEqual([
      [2, "PallasAgent default/b", "DependencyCycle", "spec"],
      [3, "PallasAgent default/c", "DependencyCycle", "spec"],
    ]);
  });
});

describe("SEC-2 no reference crosses a namespace or an instance", () => {
  it("an instance in another namespace is not found", () => {
    const checked = check(instanceManifestOf({}, { namespace: "elsewhere" }), agentManifestOf("a"));
    expect(told(checked)).toEqual([[1, "PallasAgent default/a", "InstanceNotFound", "spec.instanceRef.name"]]);
    expect(checked.problems[0]?.message).toBe('PallasInstance "ouranos" is not in namespace "default"; there is none');
  });

  it("a misspelt instance is suggested", () => {
    const checked = check(instanceManifestOf(), agentManifestOf("a", { instanceRef: { name: "urano" } }));
    expect(checked.problems[0]?.message).toBe(
      'PallasInstance "urano" is not in namespace "default" (did you mean "ouranos"?); there is "ouranos"',
    );
  });

  it("an agent of another instance, or namespace, is not found", () => {
    const checked = check(
      instanceManifestOf(),
      instanceManifestOf({}, { name: "other" }),
      instanceManifestOf({}, { namespace: "elsewhere" }),
      agentManifestOf("of-other", { instanceRef: { name: "other" } }),
      agentManifestOf("elsewhere", {}, { namespace: "elsewhere" }),
      agentManifestOf("a", { agents: [{ name: "of-other" }], dependsOn: ["elsewhere"] }),
    );
    expect(told(checked)).toEqual([
      [5, "PallasAgent default/a", "AgentNotFound", "spec.agents[0].name"],
      [5, "PallasAgent default/a", "AgentNotFound", "spec.dependsOn[0]"],
    ]);
  });
});

describe("CFG-6 placeholders", () => {
  it("are a problem in a cluster and none in local mode", () => {
    const manifests = [instanceManifestOf({ servers: [{ name: "argos", url: "${ARGOS}" }] })].map((value) => ({
      source: 0,
      value,
    }));
    expect(checkManifests(manifests, { mode: "cluster" }).problems.map(({ reason }) => reason)).toEqual([
      "PlaceholderInCluster",
    ]);
    expect(checkManifests(manifests, { mode: "local" }).problems).toEqual([]);
  });
});

describe("DSC-6 tool servers in files", () => {
  const npm = { package: { kind: "npm", name: "server-memory", version: "1.0.0" } };

  it("that are sound come with their instance, and a faulty one takes nothing else down", () => {
    const checked = check(
      serverManifestOf("memory", npm),
      instanceManifestOf(),
      serverManifestOf("slow", { ...npm, timeout: "60" }),
      serverManifestOf("mine", { local: { command: "node" } }),
      agentManifestOf("a"),
    );
    expect(told(checked)).toEqual([
      [2, "PallasServer default/slow", "InvalidField", "spec.timeout"],
      [3, "PallasServer default/mine", "LocalOnly", "spec.local"],
    ]);
    expect(checked.servers.map(({ server, instance }) => [server.metadata.name, instance.metadata.name])).toEqual([
      ["memory", "ouranos"],
    ]);
    expect(names(checked).runnable).toEqual(["a"]);
  });

  it("of one name are judged per instance", () => {
    const other = { instanceRef: { name: "other" }, serverName: "memory" };
    const checked = check(
      instanceManifestOf(),
      instanceManifestOf({}, { name: "other" }),
      serverManifestOf("memory", npm),
      serverManifestOf("memory-2", { ...npm, ...other }),
      serverManifestOf("memory-3", { ...npm, serverName: "memory" }),
    );
    expect(told(checked)).toEqual([[4, "PallasServer default/memory-3", "DuplicateName", "spec.serverName"]]);
  });

  it("without their instance say so, and of a faulty instance nothing", () => {
    expect(told(check(serverManifestOf("memory", npm)))).toEqual([
      [0, "PallasServer default/memory", "InstanceNotFound", "spec.instanceRef.name"],
    ]);
    const faulty = check(instanceManifestOf({ defaultModel: "nobody.x" }), serverManifestOf("memory", npm));
    expect(told(faulty).map(([source]) => source)).toEqual([0]);
  });
});

describe("a registration in a file", () => {
  it("is refused, since a gateway writes it", () => {
    const { problems } = check({ ...serverManifestOf("x"), kind: "PallasRegistration" });
    expect(problems).toMatchObject([{ path: "kind", message: expect.stringContaining("is written by a gateway") }]);
  });
});

describe("DSC-6 agents that use tool servers in files", () => {
  const npm = { package: { kind: "npm", name: "server-memory", version: "1.0.0" } };
  const user = (name: string) => agentManifestOf("a", { servers: [{ name }] });

  it("run where the server is sound, whatever the order of the documents", () => {
    const all = [user("memory"), serverManifestOf("m", { ...npm, serverName: "memory" }), instanceManifestOf()];
    for (const documents of [all, all.toReversed()]) {
      const checked = check(...documents);
      expect(told(checked)).toEqual([]);
      expect(checked.runnable.map(({ around }) => [...(around.servers?.sound.keys() ?? [])])).toEqual([["memory"]]);
    }
  });

  it.each<[string, object]>([
    ["is refused", { local: { command: "node" }, serverName: "memory" }],
    ["cannot be read", { ...npm, serverName: "memory", timeout: "60" }],
  ])("do not run where it %s, and name it", (_, spec) => {
    const checked = check(instanceManifestOf(), serverManifestOf("m", spec), user("memory"));
    expect(told(checked).map(([source, , reason]) => [source, reason])).toEqual([
      [1, expect.any(String)],
      [2, "ServerNotAccepted"],
    ]);
    expect(checked.problems[1]?.message).toContain('server "memory" is PallasServer "m"');
    expect(names(checked)).toEqual({ accepted: ["a"], runnable: [] });
  });

  it("see no server of another instance or namespace", () => {
    const others = [
      serverManifestOf("memory", { ...npm, instanceRef: { name: "other" } }),
      serverManifestOf("memory", npm, { namespace: "elsewhere" }),
      serverManifestOf("broken", { timeout: "60" }, { namespace: "elsewhere" }),
    ];
    const instances = [instanceManifestOf(), instanceManifestOf({}, { name: "other" })];
    const elsewhere = instanceManifestOf({}, { namespace: "elsewhere" });
    const named = (name: string) =>
      check(...instances, elsewhere, ...others, user(name)).problems.filter(({ source }) => source === 6);
    expect(named("memory")).toMatchObject([{ reason: "ServerNotFound" }]);
    expect(named("broken")).toMatchObject([{ reason: "ServerNotFound" }]);
  });
});
