// Edits of children by hand, on a real API server: each comes back, whatever field it was, and then nothing is written.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterMissing } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

type Edit = readonly [what: string, kind: string, name: string, operations: readonly object[]];

const add = (path: string, value: unknown): object => ({ op: "add", path, value });
const replace = (path: string, value: unknown): object => ({ op: "replace", path, value });
const remove = (path: string): object => ({ op: "remove", path });

const pod = "/spec/template/spec";
const header = { name: "X-A", valueFrom: { secretKeyRef: { name: "keys", key: "k" } } };

const edits: readonly Edit[] = [
  ["a label that no pod has in the selector", "service", "full", [add("/spec/selector/x", "y")]],
  ["another number of its port", "service", "full", [replace("/spec/ports/0/port", 8081)]],
  [
    "another number of its pods' port",
    "deployment",
    "full",
    [replace(`${pod}/containers/0/ports/1/containerPort`, 9091)],
  ],
  ["another port behind the Service's", "service", "full", [replace("/spec/ports/0/targetPort", 1)]],
  [
    "pods that the policy is not about any more",
    "networkpolicy",
    "full",
    [add("/spec/podSelector/matchLabels/x", "y")],
  ],
  ["callers of any namespace", "networkpolicy", "full", [add("/spec/ingress/0/from/0/namespaceSelector", {})]],
  [
    "name servers at one address only",
    "networkpolicy",
    "full",
    [add("/spec/egress/0/to", [{ ipBlock: { cidr: "10.0.0.1/32" } }])],
  ],
  [
    "no policy for what goes out",
    "networkpolicy",
    "full",
    [replace("/spec/policyTypes", ["Ingress"]), remove("/spec/egress")],
  ],
  [
    "pods that the budget is not about any more",
    "poddisruptionbudget",
    "full",
    [add("/spec/selector/matchLabels/x", "y")],
  ],
  ["more disruption", "poddisruptionbudget", "full", [replace("/spec/maxUnavailable", 2)]],
  ["a node label that no node has", "deployment", "full", [add(`${pod}/nodeSelector/x`, "y")]],
  ["a taint that it tolerates too", "deployment", "full", [add(`${pod}/tolerations/-`, { operator: "Exists" })]],
  ["how a taint is tolerated", "deployment", "full", [add(`${pod}/tolerations/0/tolerationSeconds`, 5)]],
  [
    "another capability",
    "deployment",
    "full",
    [replace(`${pod}/containers/0/securityContext/capabilities/drop`, ["NET_RAW"])],
  ],
  ["a label that selects it away", "deployment", "full", [replace("/metadata/labels/app.kubernetes.io~1name", "x")]],
  ["a token in its pods", "serviceaccount", "full-agent", [replace("/automountServiceAccountToken", true)]],
  ["a text of its configuration", "configmap", "full-live-config", [replace("/data/live-config.json", "{}")]],
  ["a right of its registry", "role", "team-registry", [add("/rules/0/verbs/-", "delete")]],
  [
    "a holder of its registry's rights",
    "rolebinding",
    "team-registry",
    [add("/subjects/-", { kind: "User", name: "x", apiGroup: "rbac.authorization.k8s.io" })],
  ],
  [
    "labels of its claim",
    "persistentvolumeclaim",
    "stored-history",
    [remove("/metadata/labels/app.kubernetes.io~1name")],
  ],
];

describe.skipIf(clusterMissing())("OPR-5 an edit by hand comes back within 5 s", () => {
  let space: WatchedNamespace;
  /** All of an object that is not the server's or a controller's of Kubernetes. */
  const state = async (kind: string, name: string): Promise<unknown> => {
    const object = JSON.parse(await space.kubectl("get", kind, name, "-o", "json"));
    const { labels, ownerReferences } = object.metadata;
    return { ...object, metadata: { labels, ownerReferences }, status: undefined };
  };
  const patch = (kind: string, name: string, operations: readonly object[]) =>
    space.kubectl("patch", kind, name, "--type=json", `--patch=${JSON.stringify(operations)}`);

  beforeAll(async () => {
    space = await watchNamespace("by-hand");
    const server = { name: "a", url: "http://a.b.svc/mcp", headers: [header] };
    const tolerations = [{ key: "gpu", operator: "Exists", effect: "NoExecute" }];
    await space.apply(
      instance({ servers: [server] }),
      agent(
        {
          scope: "request",
          replicas: 2,
          servers: [{ name: "a" }],
          pod: { nodeSelector: { disk: "ssd" }, tolerations },
        },
        "full",
      ),
      agent({ storage: { size: "1Gi" } }, "stored"),
    );
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents,pallasinstances", "--all", "--timeout=60s");
  });
  afterAll(() => space[Symbol.asyncDispose]());

  it.each(edits)("%s (%s)", async (_what, kind, name, operations) => {
    const before = await state(kind, name);
    await patch(kind, name, operations);
    await expect.poll(() => state(kind, name), { timeout: 5_000 }).toEqual(before);
  });

  it("other rights on a mounted file", async () => {
    const before = await state("deployment", "full");
    const query = "jsonpath={.spec.template.spec.volumes}";
    const volumes: { name: string }[] = JSON.parse(await space.kubectl("get", "deployment", "full", "-o", query));
    const at = volumes.findIndex(({ name }) => name === "secrets");
    await patch("deployment", "full", [add(`${pod}/volumes/${at}/projected/sources/0/secret/items/0/mode`, 0o444)]);
    await expect.poll(() => state("deployment", "full"), { timeout: 5_000 }).toEqual(before);
  });

  it("OPR-2 and then nothing is written any more", async () => {
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents,pallasinstances", "--all", "--timeout=60s");
    const writes = async () => (await space.operator.requests())["PATCH"];
    const reconciles = async () =>
      [...(await space.operator.metric("controller_runtime_reconcile_total")).values()].reduce(
        (sum, count) => sum + count,
        0,
      );
    // What the edits before this set off may still be told in a status: begin when a second passes without a write.
    let before = await writes();
    await expect
      .poll(
        async () => {
          const last = before;
          before = await writes();
          return before === last;
        },
        { interval: 1_000, timeout: 30_000 },
      )
      .toBe(true);
    const [written, reconciled] = [await writes(), await reconciles()];
    // Changes that mean nothing, so that everything is looked at again; a second try makes others than the first did.
    const note = `example.com/note=${randomUUID()}`;
    for (const kind of ["service", "networkpolicy", "poddisruptionbudget", "serviceaccount"]) {
      await space.kubectl("annotate", kind, kind === "serviceaccount" ? "full-agent" : "full", "--overwrite", note);
    }
    await space.kubectl("annotate", "role,rolebinding", "team-registry", "--overwrite", note);
    await expect.poll(reconciles).toBeGreaterThanOrEqual(reconciled + 2);
    await expect.poll(async () => [...(await space.operator.metric("workqueue_depth")).values()]).toEqual([0, 0, 0, 0]);
    expect(await writes()).toBe(written);
  });
});
