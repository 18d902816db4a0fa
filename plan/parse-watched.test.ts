import { describe, expect, it } from "vitest";
import { defined } from "../crds/defined.ts";
import { kinds } from "../crds/kinds.ts";
import { parseAgent } from "./parse.ts";
import { parseWatched, type WatchedAgent } from "./parse-watched.ts";
import { agentManifestOf } from "./testing/resources.ts";

const serverFilled = {
  namespace: "agents",
  uid: "u1",
  resourceVersion: "7",
  generation: 3,
  creationTimestamp: "2026-11-21T10:00:00Z",
};

const served = (spec: unknown, status?: unknown, metadata: object = {}) => ({
  ...agentManifestOf("research"),
  metadata: { name: "research", ...serverFilled, ...metadata },
  spec,
  ...defined({ status }),
});
const sound = { instanceRef: { name: "ouranos" } };
const read = (spec: unknown, status?: unknown, previous?: WatchedAgent, metadata: object = {}): WatchedAgent =>
  parseWatched(kinds.PallasAgent, served(spec, status, metadata), previous);
const specOf = ({ parsed }: WatchedAgent) => (parsed.ok ? parsed.value.spec : undefined);
const problemsOf = ({ parsed }: WatchedAgent) =>
  parsed.ok ? [] : parsed.problems.map(({ reason, path }) => `${reason} ${path}`);

const condition = (type: string, rest: object = {}) => ({
  type,
  status: "True",
  reason: "Ready",
  message: "",
  lastTransitionTime: "2026-11-21T10:00:00Z",
  ...rest,
});

describe("OPR-2 CFG-5 the spec of a served object", () => {
  it("is what a file with the same would be", () => {
    const spec = { ...sound, title: "Research", servers: [{ name: "argos", tools: { allow: ["a*"] } }], port: 1 };
    const strict = parseAgent(agentManifestOf("research", spec));
    expect(specOf(read(spec))).toEqual(strict.ok && strict.value.spec);
  });

  it("has no problem for keys that another release knows, at any depth, nor for null", () => {
    const newer = {
      ...sound,
      mood: "fine",
      servers: [{ name: "argos", mood: { deep: true }, tools: { allow: ["a"], mood: 1 } }],
      pod: { nodeSelector: { disk: "ssd" }, mood: null },
      title: null,
    };
    expect(specOf(read(newer))).toEqual(
      specOf(
        read({
          ...sound,
          servers: [{ name: "argos", tools: { allow: ["a"] } }],
          pod: { nodeSelector: { disk: "ssd" } },
        }),
      ),
    );
  });

  it("has the problems that are left beside such keys, with their places", () => {
    expect(problemsOf(read({ ...sound, mood: "fine", replicas: "many", servers: [{ name: "?" }] }))).toEqual([
      "InvalidField spec.servers[0].name",
      "InvalidField spec.replicas",
    ]);
    expect(problemsOf(read(undefined))).toEqual(["InvalidField spec"]);
  });

  it("keeps the rules of names", () => {
    expect(problemsOf(read(sound, undefined, undefined, { name: "x-registry" }))).toEqual([
      "InvalidField metadata.name",
    ]);
  });
});

describe("OPR-2 the metadata of a served object", () => {
  it("may hold what no release knew when this one was made", () => {
    const found = read(sound, undefined, undefined, { shard: { of: 3 }, generateName: 5 });
    expect(found.parsed).toMatchObject({ ok: true, value: { metadata: { name: "research", ...serverFilled } } });
  });

  it("is kept without annotations, and one object for both who ask", () => {
    const found = read(sound, undefined, undefined, { annotations: { "kubectl.kubernetes.io/last": "{…}" } });
    expect(found.metadata).toEqual({ name: "research", ...serverFilled });
    expect(found.parsed.ok && found.parsed.value.metadata).toBe(found.metadata);
  });

  it("has a namespace", () => {
    expect(() => read(sound, undefined, undefined, { namespace: undefined })).toThrow(/expected a namespace/);
  });
});

describe("OPR-2 the status of a served object", () => {
  it("is read as it is, and is the resource's too", () => {
    const status = { observedGeneration: 3, health: "ok", conditions: [condition("Ready", { observedGeneration: 3 })] };
    const found = read(sound, status);
    expect(found.status).toEqual(status);
    expect(found.parsed).toMatchObject({ ok: true, value: { status } });
  });

  it("is kept where the spec cannot be read, so that nothing is told anew at each look", () => {
    const status = { observedGeneration: 3, conditions: [condition("Accepted", { status: "False" })] };
    expect(problemsOf(read({}, status))).toEqual(["InvalidField spec.instanceRef"]);
    expect(read({}, status).status).toEqual(status);
  });

  it("of another release loses only what this one cannot read", () => {
    const [ready, accepted] = [condition("Ready"), condition("Accepted")];
    const found = read(sound, {
      observedGeneration: 3,
      health: "sleeping",
      mood: "fine",
      url: null,
      readyReplicas: 1,
      conditions: [ready, { ...accepted, severity: "Info" }, condition("Available", { status: "Perhaps" }), "x"],
    });
    expect(found.status).toEqual({ observedGeneration: 3, readyReplicas: 1, conditions: [ready, accepted] });
    expect(found.parsed.ok).toBe(true);
  });

  it.each([["text"], [[]], [null], [5]])("that is %j is none", (status) => {
    expect(read(sound, status).status).toBeUndefined();
    expect(read(sound, status).parsed.ok).toBe(true);
  });
});

describe("OPR-2 a spec is read once for each generation", () => {
  const before = read({ ...sound, title: "before" });
  const after = { ...sound, title: "after" };

  it("an event of the status alone brings only the status", () => {
    const next = read(after, { health: "ok" }, before, { resourceVersion: "8" });
    expect(specOf(next)).toBe(specOf(before));
    expect(next.status).toEqual({ health: "ok" });
    expect(next.metadata.resourceVersion).toBe("8");
    expect(next.parsed).toMatchObject({ ok: true, value: { status: { health: "ok" } } });
  });

  it("its problems are found once, too", () => {
    const invalid = read({ ...sound, replicas: -1 });
    expect(read(after, undefined, invalid).parsed).toBe(invalid.parsed);
  });

  it.each([
    ["of another generation", { generation: 4 }],
    ["of another object of the name", { uid: "u2" }],
  ])("one %s is read anew", (_title, metadata) => {
    expect(specOf(read(after, undefined, before, metadata))).toMatchObject({ title: "after" });
  });

  it("one without a generation is read each time", () => {
    const none = { generation: undefined };
    expect(specOf(read(after, undefined, read(sound, undefined, undefined, none), none))).toMatchObject({
      title: "after",
    });
  });
});
