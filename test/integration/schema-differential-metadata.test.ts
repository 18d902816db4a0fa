// CFG-5: what the CRD's schema does not describe, metadata and the envelope, is judged alike by API server and
// `pallas check`. What the API server fills by itself (uid, resourceVersion …) is left out: it refuses some of it on
// creation, while a manifest made with `kubectl get -o yaml` has it and is applied all the same.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pallasAgent } from "../../crds/agent.ts";
import { apiVersion } from "../../crds/names.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { checkVerdict, createJudge, type Judge } from "./schema-cases/verdicts.ts";

const spec = { instanceRef: { name: "ouranos" } };
const manifest = (fields: object) => ({ apiVersion, kind: "PallasAgent", metadata: { name: "a" }, spec, ...fields });
const withMetadata = (metadata: object) => manifest({ metadata: { name: "a", ...metadata } });
const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" };
const mib = 2 ** 20;

const acceptedByBoth: [string, unknown][] = [
  ["nothing but a name", manifest({})],
  ["null where nothing is meant", withMetadata({ labels: null, annotations: null, creationTimestamp: null })],
  ["an empty namespace", withMetadata({ namespace: "" })],
  ["labels", withMetadata({ labels: { a: "", "example.com/A_b.c": "x".repeat(63) } })],
  ["a long domain of a label", withMetadata({ labels: { [`${"a".repeat(253)}/${"b".repeat(63)}`]: "c" } })],
  ["any text as annotation", withMetadata({ annotations: { "Example.com/a": "😀\n" } })],
  ["annotations at their limit", withMetadata({ annotations: { a: "x".repeat(mib / 4 - 1) } })],
  ["a finalizer", withMetadata({ finalizers: ["example.com/clean-up"] })],
  ["an owner", withMetadata({ ownerReferences: [owner] })],
  ["a status that is null", manifest({ status: null })],
];

/** The last column is the field both name; of metadata the API server never names what is inside a field. */
const refusedByBoth: [string, unknown, string][] = [
  ["no name", manifest({ metadata: {} }), "metadata.name"],
  ["an empty name", manifest({ metadata: { name: "" } }), "metadata.name"],
  ["a name that is null", manifest({ metadata: { name: null } }), "metadata.name"],
  ["a name that is a number", manifest({ metadata: { name: 5 } }), "metadata.name"],
  ["a name with a slash", manifest({ metadata: { name: "a/b" } }), "metadata.name"],
  ["a misspelt key", withMetadata({ lables: {} }), "metadata.lables"],
  ["a label's key with a space", withMetadata({ labels: { "a b": "x" } }), "metadata.labels"],
  ["an empty label's key", withMetadata({ labels: { "": "x" } }), "metadata.labels"],
  ["a label's key of 64 characters", withMetadata({ labels: { ["a".repeat(64)]: "x" } }), "metadata.labels"],
  [
    "a label's domain of 254 characters",
    withMetadata({ labels: { [`${"a".repeat(254)}/b`]: "x" } }),
    "metadata.labels",
  ],
  ["a label's domain in upper case", withMetadata({ labels: { "A.com/x": "1" } }), "metadata.labels"],
  ["a label's value with a space", withMetadata({ labels: { a: "b c" } }), "metadata.labels"],
  ["a label's value of 64 characters", withMetadata({ labels: { a: "x".repeat(64) } }), "metadata.labels"],
  ["a label that is a number", withMetadata({ labels: { a: 5 } }), "metadata.labels"],
  ["labels that are a list", withMetadata({ labels: [] }), "metadata.labels"],
  ["an annotation's key with a space", withMetadata({ annotations: { "a b": "1" } }), "metadata.annotations"],
  ["an annotation that is a number", withMetadata({ annotations: { a: 1 } }), "metadata.annotations"],
  ["annotations past their limit", withMetadata({ annotations: { a: "x".repeat(mib / 4) } }), "metadata.annotations"],
  [
    "annotations past their limit in bytes",
    withMetadata({ annotations: { a: "é".repeat(mib / 8) } }),
    "metadata.annotations",
  ],
  ["a finalizer with a space", withMetadata({ finalizers: ["a b/"] }), "metadata.finalizers"],
  ["an owner without a name", withMetadata({ ownerReferences: [{ ...owner, name: "" }] }), "metadata.ownerReferences"],
  ["a generation that is text", withMetadata({ generation: "x" }), "metadata.generation"],
  ["an unknown key beside spec", manifest({ specs: {} }), "specs"],
  ["another kind", manifest({ kind: "PallasAgnt" }), "kind"],
  ["no spec", manifest({ spec: undefined }), "spec"],
  ["a spec that is null", manifest({ spec: null }), "spec"],
];

/** Here the API server's decoder ends before any field has a name, so only ours is compared with what is expected. */
const refusedByDecoder: [string, unknown, string][] = [
  ["metadata that is a text", manifest({ metadata: "x" }), "metadata"],
  ["metadata that is a list", manifest({ metadata: [] }), "metadata"],
  ["a time that is none", withMetadata({ creationTimestamp: "x" }), "metadata.creationTimestamp"],
  ["no kind", manifest({ kind: undefined }), "kind"],
  ["another apiVersion", manifest({ apiVersion: "v1" }), "apiVersion"],
  ["an apiVersion that is a number", manifest({ apiVersion: 5 }), "apiVersion"],
  ["a text for a manifest", "x", ""],
  ["a list for a manifest", [], ""],
  ["null for a manifest", null, ""],
];

const firstTwoParts = (field: string) => field.split(/[.[]/).slice(0, 2).join(".");

describe.skipIf(clusterMissing())("CFG-5 metadata: API server and pallas check agree", () => {
  let namespace: TestNamespace;
  let judge: Judge;
  beforeAll(async () => {
    namespace = await createNamespace("metadata");
    judge = await createJudge(cluster(), pallasAgent, namespace.name);
  });
  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
    await namespace.remove();
  });

  it.each(acceptedByBoth)("%s is accepted", async (_, value) => {
    expect((await judge.create(value)).verdict).toMatchObject({ accepted: true });
    expect(checkVerdict(pallasAgent, value)).toMatchObject({ accepted: true });
  });

  it.each(refusedByBoth)("%s is refused", async (_, value, field) => {
    const { verdict } = await judge.create(value);
    const ours = checkVerdict(pallasAgent, value);
    expect([...new Set(verdict.fields.map(firstTwoParts))]).toEqual([field]);
    expect([...new Set(ours.fields.map(firstTwoParts))]).toEqual([field]);
  });

  it.each(refusedByDecoder)("%s is refused", async (_, value, field) => {
    const { verdict } = await judge.create(value);
    expect(verdict).toMatchObject({ accepted: false, fields: [] });
    expect(checkVerdict(pallasAgent, value).fields).toEqual([field]);
  });

  it("no metadata at all is refused: the API server names what is missing in it", async () => {
    const value = manifest({ metadata: undefined });
    expect((await judge.create(value)).verdict.fields).toEqual(["metadata.name"]);
    expect(checkVerdict(pallasAgent, value).fields).toEqual(["metadata"]);
  });

  it("generateName without a name is refused by pallas check only: kubectl apply refuses it too", async () => {
    const value = manifest({ metadata: { generateName: "a-" } });
    expect((await judge.create(value)).verdict).toMatchObject({ accepted: true });
    expect(checkVerdict(pallasAgent, value).fields).toEqual(["metadata.name"]);
  });
});
