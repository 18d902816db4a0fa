// What the kernel's applier and event recorder rely on, shown on a real API server.
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { applyObject, createApplier } from "../../lib/kube/apply.ts";
import { createEventRecorder } from "../../lib/kube/events.ts";
import { isControlledBy, type KubeObject, type LiveObject } from "../../lib/kube/object.ts";
import { Conflict } from "../../lib/kube/outcome.ts";
import { collectionPath, type ResourceType } from "../../lib/kube/resource.ts";
import { controllerReference } from "../../lib/kube/testing/controller-reference.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace } from "../cluster/cluster.ts";
import { connectToCluster } from "./kube-clients.ts";

const configMap: ResourceType = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" };
const deployment: ResourceType = { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" };
const budget: ResourceType = {
  group: "policy",
  version: "v1",
  plural: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
};
const instance: ResourceType = {
  group: "pallas.helu.ca",
  version: "v1alpha1",
  plural: "pallasinstances",
  kind: "PallasInstance",
};
const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "x" }] } };

const kinds: [string, ResourceType, object][] = [
  ["ConfigMap", configMap, { apiVersion: "v1", data: { a: "1" } }],
  ["Deployment", deployment, { apiVersion: "apps/v1", spec: { selector: { matchLabels: labels }, template } }],
  ["PodDisruptionBudget", budget, { apiVersion: "policy/v1", spec: { minAvailable: 1 } }],
  ["PallasInstance", instance, { apiVersion: "pallas.helu.ca/v1alpha1", spec: { registryNamespace: "com.example" } }],
];

/** An owner that really is there: the garbage collector would take the children of any other. */
async function makeOwner(namespace: string, name: string): Promise<LiveObject> {
  const path = collectionPath(configMap, namespace);
  const answer = await callApi(cluster(), { method: "POST", path, body: { metadata: { name } } });
  const { metadata } = JSON.parse(answer.body);
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

function applyAs(owner: LiveObject, type: ResourceType, fields: object, name: string, fieldManager: string) {
  const transport = connectToCluster();
  const { namespace = "" } = owner.metadata;
  const applier = createApplier({ transport, fieldManager, hashAnnotation: "example.com/hash", log: silentLog() });
  const metadata = { name, namespace, ownerReferences: [controllerReference(owner)] };
  const desired: KubeObject = { apiVersion: "", ...fields, kind: type.kind, metadata };
  const ours = (live: LiveObject) => isControlledBy(live, owner);
  return applier.apply({ type, desired, live: undefined, ours, signal: new AbortController().signal });
}

describe.skipIf(clusterMissing())("I8 OPR-5 a free name is taken by creation only", () => {
  it.each(kinds)(
    "%s: of five that want a name one creates it, the others do not touch it",
    async (_kind, type, fields) => {
      await using namespace = await createNamespace("apply");
      const managers = ["m0", "m1", "m2", "m3", "m4"];
      const owners = await Promise.all(managers.map((manager) => makeOwner(namespace.name, `owner-${manager}`)));
      const outcomes = await Promise.allSettled(
        owners.map((owner, i) => applyAs(owner, type, fields, "wanted", managers[i] ?? "")),
      );
      const refused = outcomes.filter((outcome) => outcome.status === "rejected");
      expect(refused).toHaveLength(4);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(Conflict);
      const path = `${collectionPath(type, namespace.name)}/wanted`;
      const live = JSON.parse((await callApi(cluster(), { path })).body);
      const writers = live.metadata.managedFields.map(({ manager }: { manager: string }) => manager);
      expect(writers.filter((manager: string) => managers.includes(manager))).toHaveLength(1);
    },
  );

  it("an object without a controller that comes at the same time is never adopted", async () => {
    await using namespace = await createNamespace("apply");
    const owner = await makeOwner(namespace.name, "owner");
    const fields = { apiVersion: "v1", data: { a: "1" } };
    let theirs = 0;
    for (let round = 0; round < 30; round += 1) {
      const name = `wanted-${round}`;
      const body = { metadata: { name }, data: { foreign: "yes" } };
      const apply = () => applyAs(owner, configMap, fields, name, "me").catch((error: unknown) => error);
      const path = collectionPath(configMap, namespace.name);
      const post = () => callApi(cluster(), { method: "POST", path, body });
      // Who comes first by a few milliseconds changes from round to round.
      const applying = round % 2 === 0 ? delay(round % 6).then(apply) : apply();
      const made = await post();
      const outcome = await applying;
      if (made.status !== 201) continue;
      theirs += 1;
      expect(outcome).toBeInstanceOf(Conflict);
      const live = JSON.parse((await callApi(cluster(), { path: `${path}/${name}` })).body);
      expect(live.data).toEqual({ foreign: "yes" });
      expect(live.metadata.ownerReferences).toBeUndefined();
    }
    expect(theirs).toBeGreaterThan(0);
  });
});

describe.skipIf(clusterMissing())("I9 a status", () => {
  it("is written without the whole object coming back: its version is enough", async () => {
    await using namespace = await createNamespace("status");
    const path = collectionPath(instance, namespace.name);
    const metadata = { name: "a" };
    const body = {
      apiVersion: "pallas.helu.ca/v1alpha1",
      kind: "PallasInstance",
      metadata,
      spec: { registryNamespace: "a.b" },
    };
    const made = JSON.parse((await callApi(cluster(), { method: "POST", path, body })).body);
    const options = {
      fieldManager: "me",
      force: true,
      signal: new AbortController().signal,
      subresource: "status",
    } as const;
    const { uid } = made.metadata;
    const status = { observedGeneration: 1 };
    const object = { ...body, metadata: { ...metadata, namespace: namespace.name, uid }, spec: undefined, status };
    const answer = await applyObject(connectToCluster(), instance, object, options);
    const live = JSON.parse((await callApi(cluster(), { path: `${path}/a` })).body);
    expect(Object.keys(answer).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(answer.metadata).toMatchObject({ uid, resourceVersion: live.metadata.resourceVersion });
    expect(live.status.observedGeneration).toBe(1);
  });
});

describe.skipIf(clusterMissing())("OPR-3 Events are seen with kubectl", () => {
  it("get events counts, describe shows them at the object", async () => {
    await using namespace = await createNamespace("events");
    const { kubectl } = cluster();
    const object = await makeOwner(namespace.name, "subject");
    const recorder = createEventRecorder({
      transport: connectToCluster(),
      component: "pallas.helu.ca/tester",
      instance: "tester-0",
      log: silentLog(),
    });
    const events = async () =>
      JSON.parse(await kubectl(["get", "events", "--namespace", namespace.name, "--output=json"])).items;
    recorder.record(object, "Warning", "SecretMissing", "the Secret a is missing; create it");
    await expect.poll(async () => (await events()).length).toBe(1);
    recorder.record(object, "Warning", "SecretMissing", "the Secret a is missing; create it");
    recorder.record(object, "Warning", "SecretMissing", "the Secret a is missing; create it");
    recorder.record(object, "Normal", "Ready", "all is well");
    await recorder.close();
    expect(await events()).toHaveLength(2);
    const columns = "--output=custom-columns=COUNT:.series.count,REASON:.reason,MESSAGE:.message";
    const table = await kubectl(["get", "events", "--namespace", namespace.name, columns]);
    expect(table).toMatch(/3 +SecretMissing +the Secret a is missing; create it/);
    const description = await kubectl(["describe", "configmap", "subject", "--namespace", namespace.name]);
    expect(description).toMatch(/Warning +SecretMissing +.*\(x3 over .*\) +pallas.helu.ca\/tester/);
    expect(description).toMatch(/Normal +Ready +.* +pallas.helu.ca\/tester.* +all is well/);
  });
});
