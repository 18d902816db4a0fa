// Tools that change agents: each is judged as `pallas check` judges, and is then one write.
import { describe, expect, onTestFinished, test } from "vitest";
import { checkManifests } from "../../plan/check.ts";
import { agentManifestOf, instanceManifestOf, sampleAgent, sampleInstance } from "../../plan/testing/resources.ts";
import { formatProblem } from "../../plan/validation-error.ts";
import { maxPresetChars, maxPresets } from "./presets.ts";
import { person, startManagement } from "./testing/management.ts";

const servers = [
  { name: "argos", url: "http://argos.tools.svc:8000/mcp" },
  { name: "hermes", url: "http://hermes.tools.svc:8000/mcp" },
];

async function start() {
  const management = await startManagement({
    agents: [
      sampleAgent("tech-research", { servers: [{ name: "argos" }] }),
      sampleAgent("desk", { agents: [{ name: "tech-research" }] }),
    ],
    instance: sampleInstance({ servers }),
  });
  onTestFinished(() => management.stop());
  return { ...management, admin: await management.connect("admin") };
}

const refused = (type: string, message: string) => ({
  isError: true,
  structuredContent: { error: { type, message: expect.stringContaining(message) } },
});

/** What `pallas check` says of a folder with these agents. */
const said = (...agents: object[]) =>
  checkManifests(
    [instanceManifestOf({ servers }), ...agents].map((value) => ({ source: 0, value })),
    { mode: "cluster" },
  ).problems.map(formatProblem);

describe("MGM-3 agents_create", () => {
  test("writes one agent of the instance", async () => {
    const { admin, written } = await start();
    const answer = await admin.call("agents_create", {
      name: "new",
      spec: { title: "New", servers: [{ name: "argos" }] },
    });
    expect(answer).toMatchObject({ structuredContent: { agent: { id: "new", title: "New", ready: false } } });
    expect(written).toMatchObject([
      [
        "create",
        { metadata: { name: "new", namespace: "default" }, spec: { instanceRef: { name: "ouranos" }, title: "New" } },
      ],
    ]);
    expect(await admin.read("resource://agents/list")).toMatchObject([
      { id: "desk" },
      { id: "new" },
      { id: "tech-research" },
    ]);
  });

  test("makes one of a preset, changed by a merge patch", async () => {
    const { admin, written, presets } = await start();
    const spec =
      "title: Reader\ndescription: reads\nservers:\n  - name: argos\nlimits: { toolCalls: 5, queuedCalls: 3 }\n";
    presets.push({ name: "reader", data: { description: "Reads things.", spec } });
    const own = { title: "Mine", description: null, limits: { toolCalls: 7 } };
    await admin.call("agents_create", { name: "new", preset: "reader", spec: own });
    expect(written).toMatchObject([
      ["create", { spec: { title: "Mine", servers: [{ name: "argos" }], limits: { toolCalls: 7, queuedCalls: 3 } } }],
    ]);
    expect(written).not.toMatchObject([["create", { spec: { description: expect.anything() } }]]);
  });

  test.each([
    ["a server that is not there", "new", { servers: [{ name: "argus" }] }],
    ["a field that is misspelt", "new", { instrution: "x" }],
    ["a value of another form", "new", { replicas: "many" }],
    ["a provider that is not there", "new", { model: "nowhere.x" }],
    ["a name that no agent can have", "New_Agent", {}],
    ["a reserved name", "get-health", {}],
    ["a duration that is none", "new", { limits: { wallClock: "soon" } }],
  ])("says of %s what pallas check says, and writes nothing", async (_what, name, spec) => {
    const { admin, written } = await start();
    const problems = said(agentManifestOf(name, spec));
    expect(problems).not.toEqual([]);
    expect(await admin.call("agents_create", { name, spec })).toMatchObject(refused("invalid", problems.join("\n")));
    expect(written).toEqual([]);
  });

  test.each([
    ["a name that is taken", { name: "desk" }, "conflict", "agents_update"],
    ["a preset that is not there", { name: "new", preset: "x" }, "not_found", 'preset "x"'],
    ["another instance", { name: "new", spec: { instanceRef: { name: "other" } } }, "invalid", "spec.instanceRef"],
  ])("refuses %s", async (_what, args, type, message) => {
    const { admin, written } = await start();
    expect(await admin.call("agents_create", args)).toMatchObject(refused(type, message));
    expect(written).toEqual([]);
  });

  test.each([
    ["no name", {}],
    ["an empty name", { name: "" }],
    ["a spec that is no object", { name: "new", spec: "x" }],
    ["an argument that it does not know", { name: "new", namespace: "other" }],
  ])("takes no call with %s", async (_what, args) => {
    const { admin, written } = await start();
    expect(await admin.call("agents_create", args)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Invalid arguments for agents_create") }],
    });
    expect(written).toEqual([]);
  });
});

describe("MGM-3 agents_update", () => {
  test("writes the merge patch as it is, once", async () => {
    const { admin, written } = await start();
    const spec = { title: "Other", servers: null };
    expect(await admin.call("agents_update", { agent_id: "tech-research", spec })).toMatchObject({
      structuredContent: { agent: { title: "Other" } },
    });
    expect(written).toEqual([["patch", "tech-research", { spec }]]);
    expect(await admin.read("resource://agents/tech-research/info")).toMatchObject({ servers: [] });
  });

  test.each([
    ["a cycle of agents", { agents: [{ name: "desk" }] }, "cycle"],
    ["a server that is not there", { servers: [{ name: "argus" }] }, 'did you mean "argos"'],
    ["another instance", { instanceRef: { name: "other" } }, "cannot change"],
    ["no instance", { instanceRef: null }, "cannot change"],
  ])("refuses %s, and writes nothing", async (_what, spec, message) => {
    const { admin, written } = await start();
    expect(await admin.call("agents_update", { agent_id: "tech-research", spec })).toMatchObject(
      refused("invalid", message),
    );
    expect(written).toEqual([]);
  });

  test("is not held up by what is wrong with other agents", async () => {
    const { admin, state, written } = await start();
    state.put(sampleAgent("broken", { servers: [{ name: "gone" }] }));
    expect(await admin.call("agents_update", { agent_id: "desk", spec: { title: "x" } })).not.toMatchObject({
      isError: true,
    });
    expect(written).toHaveLength(1);
  });
});

describe("MGM-3 agents_delete", () => {
  test("deletes an agent that nobody uses", async () => {
    const { admin, written } = await start();
    expect(await admin.call("agents_delete", { agent_id: "desk" })).toMatchObject({
      structuredContent: { deleted: "desk" },
    });
    expect(written).toEqual([["delete", "desk"]]);
  });

  test("refuses one that another uses, and names that", async () => {
    const { admin, written } = await start();
    const message = "PallasAgent default/desk: spec.agents[0].name";
    expect(await admin.call("agents_delete", { agent_id: "tech-research" })).toMatchObject(refused("invalid", message));
    expect(written).toEqual([]);
  });

  test("names the nearest agent where there is none of the name", async () => {
    const { admin } = await start();
    expect(await admin.call("agents_delete", { agent_id: "dask" })).toMatchObject(
      refused("not_found", 'did you mean "desk"'),
    );
  });
});

describe("MGM-3 servers of an agent", () => {
  test("are attached beside those that it has, changed, and detached", async () => {
    const { admin, written } = await start();
    const agent_id = "tech-research";
    await admin.call("agents_attach_server", { agent_id, server: "hermes", tools: { allow: ["read*"] } });
    await admin.call("agents_attach_server", { agent_id, server: "hermes" });
    await admin.call("agents_detach_server", { agent_id, server: "argos" });
    const hermes = { name: "hermes", tools: { allow: ["read*"] } };
    expect(written).toEqual([
      ["patch", agent_id, { spec: { servers: [{ name: "argos" }, hermes] } }],
      ["patch", agent_id, { spec: { servers: [{ name: "argos" }, { name: "hermes" }] } }],
      ["patch", agent_id, { spec: { servers: [{ name: "hermes" }] } }],
    ]);
  });

  test.each([
    ["agents_attach_server", { server: "argus" }, "invalid", 'did you mean "argos"'],
    ["agents_attach_server", { server: "hermes", tools: { allow: ["x", "x"] } }, "invalid", "spec.servers[1].tools"],
    ["agents_detach_server", { server: "hermes" }, "not_found", 'does not use a server "hermes"'],
  ])("%s refuses %o", async (tool, args, type, message) => {
    const { admin, written } = await start();
    expect(await admin.call(tool, { agent_id: "tech-research", ...args })).toMatchObject(refused(type, message));
    expect(written).toEqual([]);
  });
});

describe("MGM-1 an admin who is narrowed to some agents and servers", () => {
  test.each([
    ["agents_create", { name: "other" }, "narrowed to other names"],
    ["agents_create", { name: "team-b", spec: { servers: [{ name: "argos" }] } }, 'server "argos"'],
    ["agents_create", { name: "team-b", spec: { agents: [{ name: "tech-research" }] } }, 'agent "tech-research"'],
    ["agents_create", { name: "team-b", spec: { dependsOn: ["desk"] } }, 'agent "desk"'],
    ["agents_update", { agent_id: "team-a", spec: { agents: [{ name: "desk" }] } }, 'agent "desk"'],
    ["agents_attach_server", { agent_id: "team-a", server: "argos" }, 'server "argos"'],
  ])("%s gives no agent a way to others: %o", async (tool, args, message) => {
    const { admit, connect, state, written } = await start();
    state.put(sampleAgent("team-a"));
    admit("narrow", person("admin", { agents: ["team-*"], servers: ["hermes"] }));
    const narrow = await connect("narrow");
    expect(await narrow.call(tool, args)).toMatchObject(refused("forbidden", message));
    expect(written).toEqual([]);
    expect(await narrow.call("agents_attach_server", { agent_id: "team-a", server: "hermes" })).not.toMatchObject({
      isError: true,
    });
  });
});

describe("MGM-2 resource://presets/list", () => {
  const list = async (presets: { name: string; data: Record<string, string> }[]) => {
    const management = await start();
    management.presets.push(...presets);
    return await management.admin.read("resource://presets/list");
  };
  const faulty = (data: Record<string, string>) => [{ name: "p", data }];

  test("names each with what is for people, and its spec", async () => {
    const data = { title: "Reader", description: "Reads.", spec: '{"title":"R"}' };
    expect(await list([{ name: "reader", data }])).toEqual([
      { name: "reader", title: "Reader", description: "Reads.", spec: { title: "R" } },
    ]);
  });

  test.each([
    ["no spec", faulty({ description: "x" }), 'expected the key "spec", found description'],
    ["a spec that is no object", faulty({ spec: "- a" }), "found something else"],
    ["a spec that cannot be read", faulty({ spec: "a: [" }), "spec: "],
    ["a spec that is too long", faulty({ spec: `a: ${"x".repeat(maxPresetChars - 2)}` }), "shorten it"],
    [
      "aliases that make much of little",
      faulty({ spec: `a: &a [${"1,".repeat(100)}]\nb: &b [${"*a,".repeat(100)}]\nc: [${"*b,".repeat(100)}]` }),
      "10000 values",
    ],
  ])("has one with %s, and says what is wrong", async (_what, presets, problem) => {
    expect(await list(presets)).toMatchObject([{ name: "p", problem: expect.stringContaining(problem) }]);
  });

  test("takes a spec at the limit, and so many presets", async () => {
    const spec = `a: ${"x".repeat(maxPresetChars - 3)}`;
    const many = Array.from({ length: maxPresets + 1 }, (_, at) => ({
      name: `p${1_000 + at}`,
      data: { spec: "a: 1" },
    }));
    expect(await list(faulty({ spec }))).not.toMatchObject([{ problem: expect.anything() }]);
    expect(await list(many)).toHaveLength(maxPresets);
  });

  test("an agent of a faulty one is refused with what is wrong with it", async () => {
    const { admin, presets, written } = await start();
    presets.push({ name: "p", data: {} });
    expect(await admin.call("agents_create", { name: "new", preset: "p" })).toMatchObject(
      refused("invalid", "found no keys"),
    );
    expect(written).toEqual([]);
  });
});
