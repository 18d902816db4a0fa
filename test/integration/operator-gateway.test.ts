// The gateway of an instance on a real API server, by an operator that holds its own rights and no more: its children come
// with spec.gateway and go with it, its Role is one that the operator may grant, and nothing else is touched.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderGatewayChildren } from "../../operator/render/gateway-children.ts";
import { releaseImages, releaseRules } from "../../operator/render/testing/resources.ts";
import { sampleInstance } from "../../plan/testing/resources.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import { instance } from "./attacks/manifests.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const patience = { timeout: 15_000 };
const name = "team-gateway";
const kinds = [
  "deployment",
  "service",
  "serviceaccount",
  "role",
  "rolebinding",
  "networkpolicy",
  "poddisruptionbudget",
] as const;
const access = [
  { role: "approver", serviceAccount: { name: "on-call" } },
  { agent: "clerk", tokenFrom: { secretKeyRef: { name: "gateway-tokens", key: "clerk" } } },
];
const gateway = { replicas: 2, management: "readWrite", access };

describe.skipIf(clusterMissing())("OPR-1 OPR-9 a gateway", () => {
  let space: WatchedNamespace;
  const there = async () => {
    const found = await Promise.all(kinds.map((kind) => space.list(kind)));
    const configs = (await space.list("configmap")).map((each) => each.replace(/-config-\w+$/, "-config"));
    return [...found.flat(), ...configs].filter((each) => each.includes("/team-gateway")).toSorted();
  };
  const rulesOfRole = async () => JSON.parse(await space.kubectl("get", "role", name, "--output=json")).rules;
  const wantedRules = (management: string) => {
    const made = sampleInstance({ gateway: { management } }, { uid: "u", namespace: space.name });
    return renderGatewayChildren(made, releaseImages, releaseRules)?.role.rules;
  };
  const registryVersion = async () => (await space.get("deployment", "team-registry")).metadata.resourceVersion;

  beforeAll(async () => {
    space = await watchNamespace("gateway");
    await space.apply(instance());
    await space.waitFor("pallasinstance", "team", "condition=Ready");
  });
  afterAll(() => space[Symbol.asyncDispose]());

  it("is not there where nobody asks for it", async () => {
    expect(await there()).toEqual([]);
    expect(await space.condition("pallasinstance", "team", "GatewayAvailable")).toBe("");
  });

  it("comes with spec.gateway, with rights that the operator may grant, beside a registry that stays as it was", async () => {
    const before = await registryVersion();
    await space.apply(instance({ gateway }));
    await expect
      .poll(there, patience)
      .toEqual([
        "configmap/team-gateway-config",
        "deployment.apps/team-gateway",
        "networkpolicy.networking.k8s.io/team-gateway",
        "poddisruptionbudget.policy/team-gateway",
        "role.rbac.authorization.k8s.io/team-gateway",
        "rolebinding.rbac.authorization.k8s.io/team-gateway",
        "service/team-gateway",
        "serviceaccount/team-gateway",
      ]);
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    await space.waitFor("pallasinstance", "team", "condition=Ready");
    expect(await rulesOfRole()).toEqual(wantedRules("readWrite"));
    expect(await registryVersion()).toBe(before);
  });

  it("OPR-2 is written no more once it is there, and loses rights and affinity when they are taken out", async () => {
    // Others write the status of those that count their generations.
    const versions = () =>
      Promise.all(
        kinds.map(async (kind) => {
          const { generation, resourceVersion } = (await space.get(kind, name)).metadata;
          return generation ?? resourceVersion;
        }),
      );
    const before = await versions();
    await space.apply(instance({ gateway, title: "Team" }));
    await expect
      .poll(async () => (await space.get("pallasinstance", "team")).status?.["observedGeneration"], patience)
      .toBe((await space.get("pallasinstance", "team")).metadata.generation);
    expect(await versions()).toEqual(before);
    await space.apply(instance({ gateway: { access } }));
    await expect.poll(rulesOfRole, patience).toEqual(wantedRules("approve"));
    await expect
      .poll(async () => (await space.get("service", name)).spec, patience)
      .toMatchObject({ sessionAffinity: "None" });
    await expect.poll(() => space.list("poddisruptionbudget"), patience).toEqual([]);
  });

  it("OPR-1 goes with spec.gateway, and the registry stays", async () => {
    await space.apply(instance());
    await expect.poll(there, patience).toEqual([]);
    await expect.poll(() => space.condition("pallasinstance", "team", "GatewayAvailable"), patience).toBe("");
    expect(await space.condition("pallasinstance", "team", "Ready")).toBe("True Ready");
    expect(await space.list("deployment")).toEqual(["deployment.apps/team-registry"]);
  });
});
