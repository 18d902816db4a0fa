// SEC-2: whoever may write our resources gains nothing by it. Every row is tried against a real API server and the
// built operator, and says who stopped it; the last part shows what little comes of what is let through.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseRunConfig } from "../../crds/run-config.ts";
import { renderAgentChildren, type AgentChildren } from "../../operator/render/agent-children.ts";
import { renderInstanceChildren } from "../../operator/render/instance-children.ts";
import {
  around,
  makeAgent,
  makeInstance,
  releaseImages,
  releaseRules,
} from "../../operator/render/testing/resources.ts";
import { childTypes } from "../../operator/resources.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { instance, invalidValues, notActedOn, surroundings, unknownFields } from "./attacks/manifests.ts";
import { operatorAccount } from "./program-account.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

/** What a namespace with an operator has beside the operator's work. */
const everywhere = new Set(["default", "kube-root-ca.crt", operatorAccount, `${operatorAccount}-election`]);

it("SEC-2 the attacks are at least 45, and each judge has more than ten of its own", () => {
  const byJudge = [unknownFields, invalidValues, notActedOn].map((rows) => new Set(rows.map(([what]) => what)));
  expect(byJudge.map(({ size }) => size)).toEqual([unknownFields.length, invalidValues.length, notActedOn.length]);
  expect(unknownFields.length + invalidValues.length + notActedOn.length).toBeGreaterThanOrEqual(45);
  for (const { size } of byJudge) expect(size).toBeGreaterThan(10);
});

describe.skipIf(clusterMissing())("SEC-2 CFG-5 what the API server refuses", () => {
  let namespace: TestNamespace;
  beforeAll(async () => {
    namespace = await createNamespace("attacks");
  });
  afterAll(() => namespace.remove());

  const create = (manifest: { kind: string }, query: string) =>
    callApi(cluster(), {
      method: "POST",
      path: `/apis/pallas.helu.ca/v1alpha1/namespaces/${namespace.name}/${manifest.kind.toLowerCase()}s?${query}`,
      body: manifest,
    });

  it.each(unknownFields)("%s: not a field; refused, or dropped unseen", async (_what, manifest, field) => {
    const strict = await create(manifest, "dryRun=All&fieldValidation=Strict");
    expect([strict.status, strict.body]).toEqual([400, expect.stringContaining(`unknown field \\"${field}\\"`)]);
    const lenient = await create(manifest, "dryRun=All&fieldValidation=Ignore");
    expect(lenient.status).toBe(201);
    expect(JSON.stringify(JSON.parse(lenient.body).spec)).not.toContain("evil");
  });

  it.each(invalidValues)("%s: refused by its value", async (_what, manifest, field) => {
    const { status, body } = await create(manifest, "dryRun=All&fieldValidation=Ignore");
    expect([status, body]).toEqual([422, expect.stringContaining(field)]);
  });

  it.each([
    ["etcd's", 1_800_000],
    ["the API server's", 3_500_000],
  ])("a resource over %s limit is refused whole", async (_whose, bytes) => {
    const headers = Array.from({ length: 32 }, (_, at) => ({ name: `X-${at}`, value: "x".repeat(4_096) }));
    const count = Math.ceil(bytes / (32 * 4_096));
    const servers = Array.from({ length: count }, (_, at) => ({
      name: `s${at}`,
      url: "http://a",
      prefix: `p${at}`,
      headers,
    }));
    const { status, body } = await create(instance({ servers }, "large"), "");
    expect([status, body]).toEqual([expect.toBeOneOf([413, 500]), expect.stringMatching(/too large/i)]);
  });
});

describe.skipIf(clusterMissing())("SEC-2 SEC-5 what the operator does not act on", () => {
  let space: WatchedNamespace;
  beforeAll(async () => {
    space = await watchNamespace("attacked");
    await space.apply(...surroundings);
    await space.apply(...notActedOn.map(([, manifest]) => manifest));
  });
  afterAll(() => space[Symbol.asyncDispose]());

  it.each(notActedOn)("%s", async (_what, { kind, metadata }, part, verdict) => {
    const [type = "", ...expected] = verdict.split(" ");
    const state = () => space.condition(kind, metadata.name, type);
    await expect.poll(state, { timeout: 20_000 }).toBe(expected.join(" "));
    expect(await space.message(kind, metadata.name, type)).toContain(part);
  });

  it("none of them has a pod, a registry, a policy or a right, while the innocent ones beside them have", async () => {
    await space.waitFor("pallasagent", "echo", "condition=Ready");
    await space.waitFor("pallasinstance", "i-large", "condition=Ready");
    expect(await space.list("deployments")).toEqual(
      ["echo", "i-large-registry", "other-registry", "team-registry"].map((name) => `deployment.apps/${name}`),
    );
    const innocent = ["echo", "i-large", "other", "team"];
    const children = await space.list(...Object.values(childTypes).map(({ plural }) => plural));
    const ours = children.map((child) => child.split("/")[1] ?? "").filter((name) => !everywhere.has(name));
    const isOf = (name: string) => innocent.some((owner) => name === owner || name.startsWith(`${owner}-`));
    // The API server refuses the ConfigMap of "large" only after its account is there: one without rights and token.
    expect(ours.filter((name) => !isOf(name))).toEqual(["large-agent"]);
  });
});

describe("SEC-2 what comes of what is let through", () => {
  const render = (spec: object, name = "echo"): AgentChildren => {
    const each = makeAgent(name, spec);
    return renderAgentChildren(each, around(makeInstance(), each), releaseImages);
  };
  const innocent = render({});

  it("labels and annotations in our name: as if they were not there", () => {
    const spoofed = {
      labels: {
        "pallas.helu.ca/agent": "victim",
        "pallas.helu.ca/component": "registry",
        "pallas.helu.ca/client": "true",
        "app.kubernetes.io/name": "pallas-operator",
      },
      annotations: { "pallas.helu.ca/revision": "as before" },
    };
    expect(render({ pod: spoofed }).deployment).toEqual(innocent.deployment);
  });

  it("no name of an agent or instance leads to an object of another one", () => {
    const ends = ["", "-agent", "-run-config", "-live-config", "-history", "-agent-agent", "-history-history"];
    const names = ["x", "x-registry"].flatMap((name) => ends.map((end) => `${name}${end}`));
    const storage = { size: "1Gi" };
    const agents = names.filter((name) => !name.endsWith("-registry")).map((name) => render({ storage }, name));
    const budget = render({ scope: "request", replicas: 2 }, "two");
    const registries = names.map((name) => {
      const plain = makeInstance();
      return renderInstanceChildren({ ...plain, metadata: { ...plain.metadata, name } }, releaseImages, releaseRules);
    });
    const objects = [...agents, budget, ...registries].flatMap((children) => Object.values(children));
    const keys = objects.flatMap((object) => (object ? [`${object.kind}/${object.metadata.name}`] : []));
    expect(keys.length).toBeGreaterThan(100);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  it("NULs, look-alikes and turned writing in an instruction: text, and nothing but text", () => {
    const instruction = 'a\u0000b\u202Ec\u2028d"},"agent":{"name":"victim"}\uD83D\uDE00 ${HOME} $(id) {{.Values}}';
    const { runConfig, deployment } = render({ instruction });
    const read = parseRunConfig(runConfig.data?.["run-config.json"] ?? "");
    expect(read.instruction).toEqual({ text: instruction });
    expect(read.agent.name).toBe("echo");
    const withoutHash = (template: unknown) => JSON.stringify(template).replace(/-run-config-[0-9a-f]{16}/, "");
    expect(withoutHash(deployment.spec?.template.spec)).toBe(withoutHash(innocent.deployment.spec?.template.spec));
  });

  it("every field of an agent at once: neither its account, its image nor its security context moves", () => {
    const pod = {
      tolerations: [{ operator: "Exists" }],
      priorityClassName: "system-node-critical",
      nodeSelector: { a: "b" },
    };
    const greedy = render({
      pod,
      resources: { limits: { memory: "64Gi" } },
      storage: { size: "1Ti" },
      drainTimeout: "24h",
    });
    const [before, after] = [innocent, greedy].map(({ deployment }) => deployment.spec?.template.spec);
    for (const field of ["serviceAccountName", "automountServiceAccountToken", "hostNetwork"] as const) {
      expect(after?.[field]).toEqual(before?.[field]);
    }
    // Which files of its claim get the pod's group is no matter of what it may do.
    const { fsGroupChangePolicy, ...securityContext } = after?.securityContext ?? {};
    expect([fsGroupChangePolicy, securityContext]).toEqual(["OnRootMismatch", before?.securityContext]);
    const containers = (spec: typeof before) =>
      spec?.containers.map(({ name, image, command, args, env, securityContext, ports }) => {
        return { name, image, command, args, env, securityContext, ports };
      });
    expect(containers(after)).toEqual(containers(before));
    const kinds = after?.volumes?.flatMap(({ name: _name, ...source }) => Object.keys(source));
    expect([...new Set(kinds)].toSorted()).toEqual(["emptyDir", "persistentVolumeClaim", "projected"]);
  });

  it("an agent cannot widen who calls another: only the called one's policy lets in, and only its instance's", () => {
    const victim = makeAgent("victim");
    const caller = makeAgent("caller", { agents: [{ name: "victim" }] });
    const stranger = { ...caller, spec: { ...caller.spec, instanceRef: { name: "gaia" } } };
    const policy = (...others: (typeof caller)[]) =>
      renderAgentChildren(victim, around(makeInstance(), victim, ...others), releaseImages).networkPolicy?.spec.ingress;
    expect(policy(stranger)).toEqual(policy());
    expect(policy(caller)).not.toEqual(policy());
  });
});
