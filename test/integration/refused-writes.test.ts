// What a status says while the API server refuses a write, for every kind of child: by an admission policy, by a quota,
// and by a webhook that is down. A namespace for each kind and one operator for all; the controllers are real.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { computeKstatus, type Kstatus } from "../../operator/testing/kstatus.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { measureRecovery } from "../faults/recovery.ts";
import { agent, createSpace, instance, type LiveObject, type Space } from "../faults/space.ts";
import { startFakeKubelet, type FakeKubelet } from "./fake-kubelet.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

type Owner = "pallasagents" | "pallasinstances";

/** Every kind of child, with the group it is in and whose child it is. */
const children = [
  { plural: "serviceaccounts", group: "", owners: ["pallasagents", "pallasinstances"] },
  { plural: "configmaps", group: "", owners: ["pallasagents"] },
  { plural: "services", group: "", owners: ["pallasagents", "pallasinstances"] },
  { plural: "persistentvolumeclaims", group: "", owners: ["pallasagents"] },
  { plural: "deployments", group: "apps", owners: ["pallasagents", "pallasinstances"] },
  { plural: "networkpolicies", group: "networking.k8s.io", owners: ["pallasagents"] },
  { plural: "poddisruptionbudgets", group: "policy", owners: ["pallasagents", "pallasinstances"] },
  { plural: "roles", group: "rbac.authorization.k8s.io", owners: ["pallasinstances"] },
  { plural: "rolebindings", group: "rbac.authorization.k8s.io", owners: ["pallasinstances"] },
] as const satisfies readonly { plural: string; group: string; owners: readonly Owner[] }[];
type Child = (typeof children)[number];

const admission = "/apis/admissionregistration.k8s.io/v1";

async function create(path: string, body: object): Promise<void> {
  const answer = await callApi(cluster(), { method: "POST", path, body });
  if (answer.status !== 201) throw new Error(`expected ${path} to take it, found ${answer.status}: ${answer.body}`);
}
const remove = (path: string) => callApi(cluster(), { method: "DELETE", path });

const ruleOf = ({ plural, group }: Child) => ({
  apiGroups: [group],
  apiVersions: ["*"],
  operations: ["CREATE", "UPDATE"],
  resources: [plural],
});
const onlyIn = (space: Space) => ({ matchLabels: { "kubernetes.io/metadata.name": space.name } });

interface Mechanism {
  readonly name: string;
  /** Refuses new objects of the kind in the space from now on, until the returned function is called. */
  readonly refuse: (space: Space, child: Child) => Promise<() => Promise<unknown>>;
  /** In the message of the condition. */
  readonly says: RegExp;
}

const mechanisms: readonly Mechanism[] = [
  {
    name: "policy",
    says: /ValidatingAdmissionPolicy .* denied request: not here/,
    async refuse(space, child) {
      const name = `refuse-${space.name}`;
      const match = { resourceRules: [ruleOf(child)], namespaceSelector: onlyIn(space) };
      const validations = [{ expression: "false", message: "not here" }];
      await create(`${admission}/validatingadmissionpolicies`, {
        metadata: { name },
        spec: { matchConstraints: match, validations },
      });
      const binding = { policyName: name, validationActions: ["Deny"] };
      await create(`${admission}/validatingadmissionpolicybindings`, { metadata: { name }, spec: binding });
      return async () => {
        await remove(`${admission}/validatingadmissionpolicybindings/${name}`);
        await remove(`${admission}/validatingadmissionpolicies/${name}`);
      };
    },
  },
  {
    name: "quota",
    says: /exceeded quota: none/,
    async refuse(space, { plural, group }) {
      const path = `/api/v1/namespaces/${space.name}/resourcequotas`;
      const hard = { [`count/${plural}${group === "" ? "" : `.${group}`}`]: "0" };
      await create(path, { metadata: { name: "none" }, spec: { hard } });
      return () => remove(`${path}/none`);
    },
  },
  {
    name: "webhook",
    says: /failed calling webhook/,
    async refuse(space, child) {
      const name = `down-${space.name}`;
      // Nobody listens on port 1.
      const webhook = {
        name: "down.example.com",
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules: [ruleOf(child)],
        namespaceSelector: onlyIn(space),
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        timeoutSeconds: 1,
      };
      await create(`${admission}/validatingwebhookconfigurations`, { metadata: { name }, webhooks: [webhook] });
      return () => remove(`${admission}/validatingwebhookconfigurations/${name}`);
    },
  },
];

/** A manifest of the kind, for asking whether it would be refused. */
function probe({ plural, group }: Child): { path: string; body: object } {
  const metadata = { name: "probe" };
  const labels = { matchLabels: { app: "none" } };
  const template = { metadata: { labels: { app: "none" } }, spec: { containers: [{ name: "a", image: "a" }] } };
  const specs: Partial<Record<string, object>> = {
    services: { spec: { ports: [{ port: 80 }] } },
    persistentvolumeclaims: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    deployments: { spec: { selector: labels, template } },
    networkpolicies: { spec: { podSelector: {} } },
    poddisruptionbudgets: { spec: { selector: labels, maxUnavailable: 1 } },
    rolebindings: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" } },
  };
  return {
    path: `${group === "" ? "/api" : `/apis/${group}`}/v1/namespaces/NAMESPACE/${plural}?dryRun=All`,
    body: { metadata, ...specs[plural] },
  };
}

async function untilRefused(space: Space, child: Child): Promise<void> {
  const { path, body } = probe(child);
  const isRefused = async () =>
    (await callApi(cluster(), { method: "POST", path: path.replace("NAMESPACE", space.name), body })).status >= 400;
  await measureRecovery(`${child.plural} to be refused`, Date.now(), isRefused);
}

describe.skipIf(clusterMissing())("OPR-3 the API server refuses a child", { timeout: 180_000 }, () => {
  let spaces: Map<string, Space>;
  let operator: OperatorProcess;
  let kubelets: FakeKubelet[];

  beforeAll(async () => {
    const names = [...children.map(({ plural }) => plural), "edits"];
    const made = await Promise.all(names.map((name) => createSpace(`no-${name.slice(0, 12)}`, cluster())));
    spaces = new Map(names.map((name, at) => [name, made[at] ?? fail()]));
    operator = await startOperator(cluster(), { namespaces: made.map(({ name }) => name) });
    kubelets = made.map(({ name }) => startFakeKubelet(cluster(), name));
  }, 120_000);
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await Promise.all(kubelets.map((kubelet) => kubelet[Symbol.asyncDispose]()));
    await Promise.all([...spaces.values()].map((space) => space[Symbol.asyncDispose]()));
  });
  const spaceOf = ({ plural }: Child) => spaces.get(plural) ?? fail();

  /**
   * Of a new instance and a new agent in the space, one of whose children is refused by the mechanism. What kstatus makes
   * of each owner while it is, and afterwards.
   */
  async function refuseNew(mechanism: Mechanism, child: Child): Promise<Kstatus[][]> {
    const space = spaceOf(child);
    const [team, echo] = [`team-${mechanism.name}`, `echo-${mechanism.name}`];
    const allow = await mechanism.refuse(space, child);
    try {
      await untilRefused(space, child);
      await space.apply(instance(team, { registry: { replicas: 2, metrics: { mode: "podMonitor" } } }));
      // An agent that is seen before its instance would be looked at once without any write being tried.
      const isSeen = async () => statesOf((await space.read("pallasinstances", team)) ?? fail())["Ready"] !== undefined;
      await measureRecovery(`${team} to be seen`, Date.now(), isSeen);
      const several = { replicas: 2, scope: "request" };
      await space.apply(
        agent(echo, {
          instanceRef: { name: team },
          ...(child.plural === "persistentvolumeclaims" ? { storage: { size: "1Gi" } } : several),
        }),
      );
      const owners = child.owners.map((plural) => ({ plural, name: plural === "pallasagents" ? echo : team }));
      return await observeOwners(space, owners, { says: mechanism.says, allow });
    } finally {
      await allow(); // once more where all went well, which changes nothing
      await Promise.all([space.delete("pallasagents", echo), space.delete("pallasinstances", team)]);
    }
  }

  async function observeOwners(
    space: Space,
    owners: readonly { plural: Owner; name: string }[],
    { says, allow }: { says: RegExp; allow: () => Promise<unknown> },
  ): Promise<Kstatus[][]> {
    const found = new Map<Owner, Kstatus[]>();
    const read = async (owner: (typeof owners)[number]): Promise<LiveObject> =>
      (await space.read(owner.plural, owner.name)) ?? fail();
    for (const owner of owners) {
      const isSaid = async () => says.test(readyOf(await read(owner))?.message ?? "");
      await measureRecovery(`${owner.name} to say ${says}`, Date.now(), isSaid);
      const live = await read(owner);
      expect(live.status?.observedGeneration).toBe(-1);
      const states = { Ready: "False ApiError", Reconciling: "True ApiError", Stalled: "False Succeeded" };
      expect(statesOf(live)).toMatchObject(states);
      const during = computeKstatus(live);
      const wait = space.kubectl("wait", `${owner.plural}/${owner.name}`, "--for=condition=Ready", "--timeout=1s");
      await expect(wait).rejects.toThrow("timed out");
      found.set(owner.plural, [during]);
    }
    await allow();
    for (const owner of owners) {
      // An edit is tried at once; without one a key that met 500 for long waits for its back-off.
      await space.kubectl("annotate", `${owner.plural}/${owner.name}`, "test=again");
      const isCurrent = async () => computeKstatus(await read(owner)) === "Current";
      await measureRecovery(`${owner.name} to be Current`, Date.now(), isCurrent);
      const live = await read(owner);
      expect(statesOf(live)).toMatchObject({ Ready: "True Ready", Reconciling: "False Succeeded" });
      found.get(owner.plural)?.push(computeKstatus(live));
    }
    return [...found.values()];
  }

  it.concurrent.each(children)(
    "$plural, by a policy, a quota and a webhook: not handled, not Ready, not Current until it is taken",
    async (child) => {
      for (const mechanism of mechanisms) {
        expect(await refuseNew(mechanism, child)).toEqual(child.owners.map(() => ["InProgress", "Current"]));
      }
    },
  );

  it.concurrent("an edit that is refused leaves the generation, the pods' configuration and what runs as they were", async () => {
    const child = children.find(({ plural }) => plural === "deployments") ?? fail();
    const space = spaces.get("edits") ?? fail();
    await space.apply(
      instance("team-edit"),
      agent("edited", { instanceRef: { name: "team-edit" }, instruction: "one" }),
    );
    await space.kubectl("wait", "pallasagent/edited", "--for=condition=Ready", "--timeout=60s");
    const [before, template] = [
      await space.read("pallasagents", "edited"),
      (await space.read("deployments", "edited"))?.spec?.["template"],
    ];
    const allow = await (mechanisms[0] ?? fail()).refuse(space, child);
    await untilRefused(space, child);
    await space.kubectl("patch", "pallasagent", "edited", "--type=merge", '--patch={"spec":{"instruction":"two"}}');
    const isObserved = (generation: number | undefined, reason: string) => async () => {
      const live = (await space.read("pallasagents", "edited")) ?? fail();
      return live.status?.observedGeneration === generation && readyOf(live)?.reason === reason;
    };
    await measureRecovery("the refusal", Date.now(), isObserved(before?.status?.observedGeneration, "ApiError"));
    expect((await space.read("deployments", "edited"))?.spec?.["template"]).toEqual(template);
    await allow();
    await space.kubectl("annotate", "pallasagent/edited", "test=again");
    await measureRecovery("the edit", Date.now(), isObserved(2, "Ready"));
  });
});

describe.skipIf(clusterMissing())("OPR-3 while no operator runs", () => {
  it("a new agent and a new instance are not Current to kstatus, and nobody's wait ends", async () => {
    await using space = await createSpace("unwatched", cluster());
    await space.apply(instance(), agent("alpha"));
    for (const [plural, name] of [
      ["pallasinstances", "team"],
      ["pallasagents", "alpha"],
    ] as const) {
      const live = (await space.read(plural, name)) ?? fail();
      expect(live.status).toEqual({ observedGeneration: -1 });
      expect(computeKstatus(live)).toBe("InProgress");
      await expect(space.kubectl("wait", `${plural}/${name}`, "--for=condition=Ready", "--timeout=1s")).rejects.toThrow(
        "timed out",
      );
    }
  });
});

function fail(): never {
  throw new Error("expected it to be there");
}

const readyOf = ({ status }: LiveObject) => status?.conditions?.find(({ type }) => type === "Ready");

const statesOf = ({ status }: LiveObject): Record<string, string> =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status: state, reason }) => [type, `${state} ${reason}`]));
