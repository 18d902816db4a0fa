// What the operator writes for a gateway, and that without one it writes what it always wrote.
import { describe, expect, it } from "vitest";
import type { PallasAgent } from "../../crds/agent.ts";
import { renderAgentChildren } from "./agent-children.ts";
import { renderGatewayChildren } from "./gateway-children.ts";
import { renderInstanceChildren } from "./instance-children.ts";
import { around, makeAgent, makeInstance, releaseImages, releaseRules } from "./testing/resources.ts";
import { golden, toYaml } from "./testing/golden.ts";

function rendered(gateway: object = {}, spec: object = {}) {
  const children = renderGatewayChildren(makeInstance({ ...spec, gateway }), releaseImages, releaseRules);
  if (!children) throw new Error("expected a gateway, found none");
  return children;
}

const tokenFrom = (key: string) => ({ secretKeyRef: { name: "gateway-tokens", key } });
const full = {
  replicas: 2,
  service: { type: "LoadBalancer", port: 443 },
  management: "readWrite",
  access: [
    { role: "approver", serviceAccount: { name: "on-call" } },
    { role: "viewer", claim: { name: "groups", value: "engineering" }, agents: ["research-*"], servers: ["*"] },
    { role: "admin", tokenFrom: tokenFrom("admins") },
    { agent: "clerk", tokenFrom: tokenFrom("clerk") },
  ],
  resources: { requests: { cpu: "100m" }, limits: { memory: "1Gi" } },
};
const fullAround = {
  auth: { jwt: { issuer: "https://id.example.com", audiences: ["pallas"] } },
  externalUrl: { host: "agents.example.com" },
  http: { allowedHosts: ["gateway.example.com"], allowedOrigins: ["https://chat.example.com"], bodyLimit: "8Mi" },
  caBundle: { configMapKeyRef: { name: "corp-ca", key: "ca.crt" } },
  proxy: { https: "http://proxy.corp.svc:3128" },
  images: { gateway: "registry.example/own/gateway:2" },
  imagePullSecrets: [{ name: "regcred" }],
  agentDefaults: { drainTimeout: "2m" },
  logLevel: "DEBUG",
};

const signer = { issuer: "https://kubernetes.default.svc", keys: [{ kty: "RSA", kid: "one", n: "AQAB", e: "AQAB" }] };

describe("OPR-1 rendering a gateway", () => {
  it("makes the children of the least one as committed", async () => {
    await expect(toYaml(rendered())).toMatchFileSnapshot(golden("gateway-least"));
  });

  it("makes the children of one with everything set as committed", async () => {
    await expect(toYaml(rendered(full, fullAround))).toMatchFileSnapshot(golden("gateway-full"));
  });

  it("makes an agent's children as without one, but for policy, token, keys and the field that says so", async () => {
    const agent = makeAgent("echo");
    const of = (spec: object) => renderAgentChildren(agent, around(makeInstance(spec), agent), releaseImages, signer);
    const configOf = ({ runConfig }: ReturnType<typeof of>): object =>
      JSON.parse(runConfig.data?.["run-config.json"] ?? "");
    const [behind, alone] = [of({ gateway: full }), of({})];
    expect(configOf(behind)).toEqual({ ...configOf(alone), gateway: true });
    const { serviceAccount, service } = alone;
    expect([behind.serviceAccount, behind.service]).toEqual([serviceAccount, service]);
    await expect(toYaml(behind)).toMatchFileSnapshot(golden("agent-behind-gateway"));
  });

  it("DSC-1 gives an agent the registry of its gateway by its configuration alone: it has token and way already", () => {
    const of = (agent: PallasAgent) =>
      renderAgentChildren(agent, around(makeInstance({ gateway: full }), agent), releaseImages, signer);
    const configOf = ({ runConfig }: ReturnType<typeof of>): { servers: object[] } =>
      JSON.parse(runConfig.data?.["run-config.json"] ?? "");
    const [given, without] = [of(makeAgent("echo", { servers: [{ name: "registry" }] })), of(makeAgent("echo"))];
    const { port } = full.service;
    const url = `http://ouranos-gateway.agents.svc:${port}/registry/mcp`;
    expect(configOf(given).servers).toMatchObject([{ name: "registry", url, registry: true, headers: [] }]);
    expect(configOf(given)).toEqual({ ...configOf(without), servers: configOf(given).servers });
    expect(given.networkPolicy).toEqual(without.networkPolicy);
    const podOf = ({ deployment }: ReturnType<typeof of>) => deployment.spec?.template.spec;
    expect(podOf(given)?.containers).toEqual(podOf(without)?.containers);
  });

  it("SEC-1 gives an agent's pod one token, which the API server does not take, and none without a gateway", () => {
    const agent = makeAgent("echo");
    const podOf = (spec: object) =>
      renderAgentChildren(agent, around(makeInstance(spec), agent), releaseImages, signer).deployment.spec?.template
        .spec;
    const behind = podOf({ gateway: {} });
    const serviceAccountToken = { audience: "pallas:agents/ouranos", expirationSeconds: 600, path: "gateway" };
    expect(behind?.automountServiceAccountToken).toBe(false);
    expect(behind?.volumes?.filter((volume) => JSON.stringify(volume).includes("serviceAccountToken"))).toEqual([
      { name: "gateway-token", projected: { defaultMode: 0o440, sources: [{ serviceAccountToken }] } },
    ]);
    expect(behind?.containers[0]?.volumeMounts).toContainEqual({
      name: "gateway-token",
      mountPath: "/var/run/pallas/tokens",
      readOnly: true,
    });
    expect(JSON.stringify(podOf({})?.volumes)).not.toContain("oken");
  });

  it("changes not a byte of agents whose instance has no gateway, whatever is known of the cluster's issuer", () => {
    const agent = makeAgent("echo");
    const here = around(makeInstance(), agent);
    expect(renderAgentChildren(agent, here, releaseImages, signer)).toEqual(
      renderAgentChildren(agent, here, releaseImages),
    );
  });

  it("makes nothing where the instance has none, and the registry is the same with and without", () => {
    expect(renderGatewayChildren(makeInstance(), releaseImages, releaseRules)).toBeUndefined();
    const registry = (spec: object) => renderInstanceChildren(makeInstance(spec), releaseImages, releaseRules);
    expect(registry({ gateway: full })).toEqual(registry({}));
  });
});

describe("OPR-9 the gateway's Role", () => {
  const verbsOf = (management?: string) =>
    (rendered(management === undefined ? {} : { management }).role.rules ?? []).flatMap(({ resources = [], verbs }) =>
      resources.map((resource) => `${resource} ${verbs.join(" ")}`),
    );
  const always = [
    "pallasagents list watch",
    "pallasservers list watch",
    "pallasinstances list watch",
    "pallaspolicies list watch",
    "pallasservers/status patch",
    "pallaspolicies/status patch",
    "pallasapprovals/status patch",
    "pallasapprovals get list watch create patch delete",
    "pallasregistrations list watch create patch delete",
    "endpointslices list watch",
    "configmaps list watch",
    "serviceaccounts list watch",
  ];

  it("only reads beside its directory, approvals and what it knows of tools and policies, unless management is readWrite, and then writes agents and servers, and changes policies", () => {
    expect(verbsOf()).toEqual(always);
    expect(verbsOf("approve")).toEqual(always);
    const managed = ["pallasagents create patch delete", "pallasservers create patch delete", "pallaspolicies patch"];
    expect(verbsOf("readWrite")).toEqual([...always, ...managed]);
  });

  it("names no Secret, no wildcard and nothing that leads to more rights", () => {
    const words = JSON.stringify(rendered(full).role.rules);
    const refused = ['"*"', "secrets", "escalate", "bind", "impersonate", '"pods"', "roles", "tokenreviews"];
    for (const word of refused) expect(words).not.toContain(word);
  });
});

describe("SEC-1 a gateway's pod", () => {
  const podOf = (gateway: object) => rendered(gateway).deployment.spec?.template.spec;

  it("is restricted", () => {
    const pod = podOf(full);
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(pod?.containers.map(({ securityContext }) => securityContext)).toEqual([
      { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    ]);
  });

  it("has only those keys of Secrets that access names, each optional", () => {
    const secrets = (gateway: object) =>
      (podOf(gateway)?.volumes ?? [])
        .flatMap(({ projected }) => projected?.sources ?? [])
        .filter(({ serviceAccountToken }) => serviceAccountToken === undefined);
    expect(secrets({ access: [full.access[0]] })).toEqual([]);
    expect(secrets(full)).toEqual(
      ["admins", "clerk"].map((key) => ({
        secret: { name: "gateway-tokens", optional: true, items: [{ key, path: `gateway-tokens/${key}` }] },
      })),
    );
  });
});

describe("DSC-3 the key of a gateway's embeddings", () => {
  it("is one more optional file beside the tables of tokens", () => {
    const apiKey = { secretKeyRef: { name: "models", key: "embed" } };
    const embeddings = { kind: "openai", baseUrl: "http://models.ai.svc/v1", model: "m", apiKey };
    const { deployment } = rendered({ embeddings });
    const pod = deployment.spec?.template.spec;
    expect(pod?.volumes).toContainEqual({
      name: "tokens",
      projected: {
        defaultMode: 0o440,
        sources: [{ secret: { name: "models", optional: true, items: [{ key: "embed", path: "models/embed" }] } }],
      },
    });
    expect(pod?.containers[0]?.volumeMounts).toContainEqual({
      name: "tokens",
      mountPath: "/var/run/pallas/secrets",
      readOnly: true,
    });
  });
});

describe("MGM-1 the token by which a gateway's agents know it", () => {
  it("is made out to them alone, lasts ten minutes, and is renewed by the kubelet", () => {
    const pod = rendered(full).deployment.spec?.template.spec;
    expect(pod?.volumes?.find(({ name }) => name === "agents-token")?.projected?.sources).toEqual([
      { serviceAccountToken: { audience: "pallas-agents:agents/ouranos", expirationSeconds: 600, path: "agents" } },
    ]);
    expect(pod?.containers[0]?.volumeMounts).toContainEqual({
      name: "agents-token",
      mountPath: "/var/run/pallas/tokens",
      readOnly: true,
    });
  });
});

describe("OPR-2 a gateway's pods", () => {
  const templateOf = (gateway: object, spec: object = {}) => rendered(gateway, spec).deployment.spec?.template;

  it("roll for what they run on: a changed access names another file", () => {
    const edited = { ...full, access: full.access.slice(1) };
    expect(templateOf(edited)).not.toEqual(templateOf(full));
    expect(rendered(edited).runConfig.metadata.name).not.toBe(rendered(full).runConfig.metadata.name);
    expect(rendered(full).runConfig).toMatchObject({ immutable: true });
  });

  it("stay for what they do not use", () => {
    const others = { servers: [{ name: "s", url: "http://s:1/mcp" }], title: "Other", registry: { replicas: 0 } };
    expect(templateOf(full, others)).toEqual(templateOf(full));
    expect(templateOf({ ...full, service: { port: 80 } })).toEqual(templateOf(full));
  });
});

describe("OPR-1 several pods of a gateway", () => {
  it.each([
    [0, false],
    [1, false],
    [2, true],
  ])("%i replicas: a budget, and callers that stay with one pod: %s", (replicas, expected) => {
    const { podDisruptionBudget, service } = rendered({ replicas });
    expect(podDisruptionBudget !== undefined).toBe(expected);
    expect(service.spec?.sessionAffinity).toBe(expected ? "ClientIP" : "None");
  });
});
