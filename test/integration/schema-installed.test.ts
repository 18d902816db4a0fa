// The generated CRDs as a real API server takes them: established, structural, within its cost limits, explained in
// words, and holding the rules that need an old value.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pallasAgent } from "../../crds/agent.ts";
import { kinds } from "../../crds/kinds.ts";
import { pallasPolicy } from "../../crds/policy.ts";
import { pallasServer } from "../../crds/server.ts";
import { apiVersion } from "../../crds/names.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { isTransitionRule, placesBelow, readSchema } from "./schema-cases/schema-node.ts";
import { createJudge, type Judge, type Verdict } from "./schema-cases/verdicts.ts";

describe.skipIf(clusterMissing())("CFG-5 the CRDs on a real API server", () => {
  it.each(Object.values(kinds).map(({ type }) => type.plural))("%s is established and structural", async (plural) => {
    const crd = JSON.parse(await cluster().kubectl(["get", "crd", `${plural}.pallas.helu.ca`, "--output=json"]));
    const conditions: { type: string; status: string }[] = crd.status.conditions;
    const held = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
    expect(held.toSorted()).toEqual(["Established", "NamesAccepted"]);
    expect(crd.spec.names.categories).toEqual(["pallas"]);
  });

  it("kubectl explain tells a field's type, meaning and choices", async () => {
    const request = await cluster().kubectl(["explain", "pallasagent.spec.request"]);
    expect(request).toContain("Sampling and loop.");
    expect(request).toMatch(/maxSteps\s+<integer>\s+Model turns per call;[^]*?Default\s+60\./);
    expect(request).toMatch(/effort\s+<string>\s+enum: minimal, low, medium, high/);
    const size = await cluster().kubectl(["explain", "pa.spec.storage.size"]);
    expect(size).toContain("Size of the claim; it can only grow.");
    const server = await cluster().kubectl(["explain", "pallasserver.spec.package.kind"]);
    expect(server).toContain("Where it is published: npm or pypi (run by uvx).");
  });

  it("kubectl knows the short names and the category", async () => {
    const listed = await cluster().kubectl(["api-resources", "--categories=pallas", "--no-headers"]);
    expect(listed).toMatch(/pallasagents\s+pa\s/);
    expect(listed).toMatch(/pallasinstances\s+pi\s/);
    expect(listed).toMatch(/pallasservers\s+ps\s/);
    expect(listed).toMatch(/pallasregistrations\s+preg\s/);
  });
});

const spec = {
  instanceRef: { name: "ouranos" },
  storage: { size: "1Gi", storageClassName: "standard" },
};
const withStorage = (storage: object) => ({ ...spec, storage });

const changes: { title: string; to: object; verdict: Partial<Verdict> }[] = [
  {
    title: "instanceRef cannot change",
    to: { ...spec, instanceRef: { name: "other" } },
    verdict: { accepted: false, fields: ["spec.instanceRef"] },
  },
  { title: "instanceRef may stay", to: { ...spec, title: "New" }, verdict: { accepted: true } },
  { title: "storage may grow", to: withStorage({ ...spec.storage, size: "1025Mi" }), verdict: { accepted: true } },
  {
    title: "the same size in other words is the same",
    to: withStorage({ ...spec.storage, size: 2 ** 30 }),
    verdict: { accepted: true },
  },
  {
    title: "storage cannot shrink",
    to: withStorage({ ...spec.storage, size: "1023Mi" }),
    verdict: { accepted: false, fields: ["spec.storage.size"] },
  },
  {
    title: "storage cannot shrink by a byte",
    to: withStorage({ ...spec.storage, size: 2 ** 30 - 1 }),
    verdict: { accepted: false, fields: ["spec.storage.size"] },
  },
  {
    title: "the storage class cannot change",
    to: withStorage({ size: "1Gi", storageClassName: "fast" }),
    verdict: { accepted: false, fields: ["spec.storage"] },
  },
  {
    title: "the storage class cannot be taken away",
    to: withStorage({ size: "1Gi" }),
    verdict: { accepted: false, fields: ["spec.storage"] },
  },
  { title: "storage may be taken away", to: { instanceRef: spec.instanceRef }, verdict: { accepted: true } },
];

describe.skipIf(clusterMissing())("CFG-5 rules over old and new value", () => {
  let namespace: TestNamespace;
  let judge: Judge;
  let resourceVersion: string;
  const manifest = (fields: object, metadata: object = {}) => ({
    apiVersion,
    kind: "PallasAgent",
    metadata: { name: "changing", ...metadata },
    spec: fields,
  });

  beforeAll(async () => {
    namespace = await createNamespace("transition");
    judge = await createJudge(cluster(), pallasAgent, namespace.name);
    const { body } = await judge.create(manifest(spec), { dryRun: false });
    ({ resourceVersion } = JSON.parse(body).metadata);
  });
  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
    await namespace.remove();
  });

  it.each(changes)("$title", async ({ to, verdict }) => {
    const answer = await judge.update("changing", manifest(to, { resourceVersion }));
    expect(answer.verdict).toMatchObject(verdict);
  });

  it("a storage class cannot be given later", async () => {
    const { body } = await judge.create(manifest(withStorage({ size: "1Gi" }), { name: "classless" }), {
      dryRun: false,
    });
    const { metadata } = JSON.parse(body);
    const later = manifest(spec, { name: "classless", resourceVersion: metadata.resourceVersion });
    expect((await judge.update("classless", later)).verdict.fields).toEqual(["spec.storage"]);
  });

  it("DSC-6 the instance of a tool server cannot change either", async () => {
    const server = (instance: string, metadata: object = {}) => ({
      apiVersion,
      kind: pallasServer.kind,
      metadata: { name: "memory", ...metadata },
      spec: { instanceRef: { name: instance }, local: { command: "node" } },
    });
    await using servers = await createJudge(cluster(), pallasServer, namespace.name);
    const { body } = await servers.create(server("ouranos"), { dryRun: false });
    const { metadata } = JSON.parse(body);
    const verdictOf = async (instance: string) =>
      (await servers.update("memory", server(instance, { resourceVersion: metadata.resourceVersion }))).verdict;
    expect(await verdictOf("ouranos")).toMatchObject({ accepted: true });
    expect((await verdictOf("other")).fields).toEqual(["spec.instanceRef"]);
  });

  it("MGM-5 nor can that of a policy", async () => {
    const policy = (instance: string, metadata: object = {}) => ({
      apiVersion,
      kind: pallasPolicy.kind,
      metadata: { name: "careful", ...metadata },
      spec: { instanceRef: { name: instance }, rules: [] },
    });
    await using policies = await createJudge(cluster(), pallasPolicy, namespace.name);
    const { body } = await policies.create(policy("ouranos"), { dryRun: false });
    const { metadata } = JSON.parse(body);
    const verdictOf = async (instance: string) =>
      (await policies.update("careful", policy(instance, { resourceVersion: metadata.resourceVersion }))).verdict;
    expect(await verdictOf("ouranos")).toMatchObject({ accepted: true });
    expect((await verdictOf("other")).fields).toEqual(["spec.instanceRef"]);
  });

  // Those of approvals beside the admission policy that goes with them (test/chart/admission-approvals.test.ts).
  it("every rule over an old value is tried here", () => {
    const rules = Object.values(kinds).flatMap(({ definition }) =>
      [...placesBelow(readSchema(definition), "")].flatMap(({ node }) => node["x-kubernetes-validations"]),
    );
    expect(rules.filter(isTransitionRule).map(({ message }) => message)).toEqual([
      "instanceRef cannot change; create another agent instead",
      "storageClassName cannot change",
      "can only grow",
      "instanceRef cannot change; create another server instead",
      "instanceRef cannot change; create another policy instead",
      "spec.decision comes too late: this approval has expired or is used",
      "nothing but decision can change: what was asked about is what is approved",
      "decision cannot change: this approval was decided already",
    ]);
  });
});
