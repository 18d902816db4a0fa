// Golden files of everything the operator writes. A difference here rolls pods of every user on upgrade: it must be meant.
import { describe, expect, it } from "vitest";
import { around, makeAgent, makeInstance, releaseImages, releaseRules } from "./testing/resources.ts";
import { golden, toYaml } from "./testing/golden.ts";
import { renderAgentChildren } from "./agent-children.ts";
import { renderInstanceChildren } from "./instance-children.ts";

const fullInstance = () =>
  makeInstance({
    version: "2.1.0",
    title: "Ouranos",
    externalUrl: { template: "https://{agent}.example.com/{namespace}/mcp" },
    defaultModel: "openai.qwen3-8b-q5",
    modelCapabilities: { vision: true, contextWindow: 200_000 },
    providers: [
      {
        name: "openai",
        kind: "openai-compatible",
        baseUrl: "http://llama.models.svc:8080/v1",
        apiKey: { secretKeyRef: { name: "llm-keys", key: "openai" } },
        headers: [{ name: "X-Token", valueFrom: { secretKeyRef: { name: "llm-keys", key: "team" } } }],
      },
      { name: "unused", kind: "openai" },
    ],
    servers: [
      {
        name: "argos",
        url: "http://argos.tools.svc:8000/mcp",
        timeout: "90s",
        headers: [{ name: "X-Team", value: "blue" }],
      },
    ],
    agentDefaults: { resources: { limits: { memory: "1Gi" } }, pod: { nodeSelector: { disk: "ssd" } } },
    http: { allowedHosts: ["agents.example.com"], allowedOrigins: ["https://chat.example.com"], bodyLimit: "8Mi" },
    registry: {
      replicas: 2,
      service: { type: "NodePort", port: 80 },
      metrics: { mode: "podMonitor", interval: "30s" },
    },
    caBundle: { configMapKeyRef: { name: "corp-ca", key: "ca.crt" } },
    proxy: { https: "http://proxy:3128", noProxy: [".corp"] },
    logLevel: "DEBUG",
    imagePullSecrets: [{ name: "regcred" }],
  });

const fullAgent = () =>
  makeAgent("tech-research", {
    title: "Tech Research",
    description: "Web search",
    instructionFrom: { configMapKeyRef: { name: "prompts", key: "research.md" } },
    fallbackModels: ["passthrough"],
    request: { temperature: 0.2, topK: 40, stop: ["END"], effort: "high", maxSteps: 12 },
    servers: [{ name: "argos", tools: { allow: ["search_*"], deny: ["search_private"] } }],
    agents: [{ name: "archive", forwardInboundAuth: true }],
    scope: "request",
    limits: { wallClock: "5m" },
    drainTimeout: "2m",
    replicas: 3,
    resources: { requests: { cpu: 1 } },
    pod: {
      labels: { team: "blue", "app.kubernetes.io/name": "not-mine" },
      annotations: { note: "x" },
      tolerations: [{ key: "gpu", operator: "Exists" }],
      priorityClassName: "high",
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
      ],
    },
  });

describe("OPR-1 rendering", () => {
  it("makes the children of the least agent as committed", async () => {
    const instance = makeInstance();
    const agent = makeAgent("echo");
    const children = renderAgentChildren(agent, around(instance, agent), releaseImages);
    await expect(toYaml(children)).toMatchFileSnapshot(golden("agent-least"));
  });

  it("makes the children of an agent with everything set as committed", async () => {
    const agent = fullAgent();
    const children = renderAgentChildren(agent, around(fullInstance(), agent, makeAgent("archive")), releaseImages);
    await expect(toYaml(children)).toMatchFileSnapshot(golden("agent-full"));
  });

  it("makes the children of an agent with a claim as committed", async () => {
    const instance = makeInstance();
    const agent = makeAgent("echo", {
      storage: { size: "5Gi", storageClassName: "fast", onDelete: "Delete" },
      networkPolicy: { enabled: false },
    });
    const children = renderAgentChildren(agent, around(instance, agent), releaseImages);
    await expect(toYaml(children)).toMatchFileSnapshot(golden("agent-storage"));
  });

  it("makes the children of the least instance as committed", async () => {
    await expect(toYaml(renderInstanceChildren(makeInstance(), releaseImages, releaseRules))).toMatchFileSnapshot(
      golden("instance-least"),
    );
  });

  it("makes the children of an instance with everything set as committed", async () => {
    await expect(toYaml(renderInstanceChildren(fullInstance(), releaseImages, releaseRules))).toMatchFileSnapshot(
      golden("instance-full"),
    );
  });
});

describe("OPR-2 the pod template", () => {
  const templateOf = (instance = fullInstance(), agent = fullAgent()) =>
    renderAgentChildren(agent, around(instance, agent, makeAgent("archive")), releaseImages).deployment.spec?.template;

  it("stays the same when the instance changes what the agent does not use", () => {
    const edited = fullInstance();
    edited.spec.providers?.push({ name: "another", kind: "anthropic" });
    edited.spec.servers?.push({ name: "another", url: "http://another:1/mcp" });
    edited.spec.registry = { replicas: 1 };
    expect(templateOf(edited)).toEqual(templateOf());
  });

  it("OPR-10 is one and the same for any number of replicas", () => {
    const of = (replicas: number) => templateOf(makeInstance(), makeAgent("echo", { scope: "request", replicas }));
    for (const replicas of [0, 2, 3]) expect(of(replicas)).toEqual(of(1));
  });

  it("changes when the agent's own settings do", () => {
    const edited = fullAgent();
    edited.spec.request = { ...edited.spec.request, maxSteps: 13 };
    expect(templateOf(fullInstance(), edited)).not.toEqual(templateOf());
  });
});

describe("OPR-11 the time that a rollout has to make progress", () => {
  const deadlineOf = (drainTimeout: string) => {
    const agent = makeAgent("echo", { drainTimeout });
    return renderAgentChildren(agent, around(makeInstance(), agent), releaseImages).deployment.spec
      ?.progressDeadlineSeconds;
  };

  it.each([
    ["1s", 600],
    ["405s", 600],
    ["406s", 601],
    ["405001ms", 601],
    ["10m", 795],
    ["24h", 86_595],
  ])("calls that may go on for %s: %i s", (drainTimeout, seconds) => {
    expect(deadlineOf(drainTimeout)).toBe(seconds);
  });
});

describe("SEC-2 pod overrides", () => {
  it("cannot replace the labels that select the pod or name it", () => {
    const agent = fullAgent();
    const { deployment } = renderAgentChildren(agent, around(fullInstance(), agent), releaseImages);
    expect(deployment.spec?.template.metadata?.labels).toMatchObject({
      team: "blue",
      "app.kubernetes.io/name": "pallas-agent",
      "pallas.helu.ca/agent": "tech-research",
    });
  });
});

describe("SEC-2 SEC-3 keys of our own group", () => {
  it("come from nobody else: not the label of clients, not an annotation that we read", () => {
    const pod = {
      labels: { "pallas.helu.ca/client": "true", team: "blue" },
      annotations: { "pallas.helu.ca/revision": "0", "pallas.helu.ca/other": "x", note: "x" },
    };
    const agent = makeAgent("echo", { pod });
    const render = (each: typeof agent) =>
      renderAgentChildren(each, around(makeInstance(), each), releaseImages).deployment.spec?.template.metadata;
    expect(render(agent)).toEqual({
      labels: { ...render(makeAgent("echo"))?.labels, team: "blue" },
      annotations: { ...render(makeAgent("echo"))?.annotations, note: "x" },
    });
  });
});

describe("OPR-1 the PodDisruptionBudget", () => {
  it.each([
    [0, false],
    [1, false],
    [2, true],
  ])("with %i replicas: %s", (replicas, expected) => {
    const agent = makeAgent("echo", { replicas, scope: "request" });
    const { podDisruptionBudget } = renderAgentChildren(agent, around(makeInstance(), agent), releaseImages);
    expect(podDisruptionBudget !== undefined).toBe(expected);
  });
});

describe("SEC-1 agent and registry pods", () => {
  const pods = () => {
    const agent = fullAgent();
    const agentPod = renderAgentChildren(agent, around(fullInstance(), agent), releaseImages).deployment.spec?.template
      .spec;
    const registryPod = renderInstanceChildren(fullInstance(), releaseImages, releaseRules).deployment.spec?.template
      .spec;
    return { agentPod, registryPod };
  };

  it("are non-root with a read-only root, no capabilities and the default seccomp profile", () => {
    for (const pod of Object.values(pods())) {
      expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      for (const container of pod?.containers ?? []) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });

  it("hold a ServiceAccount token only in the registry", () => {
    expect(pods().agentPod?.automountServiceAccountToken).toBe(false);
    expect(pods().registryPod?.automountServiceAccountToken).toBe(true);
  });
});

describe("OPR-9 the registry's Role", () => {
  it("reads the kinds it lists and EndpointSlices, and names no Secret, verb * or resource *", () => {
    const { role } = renderInstanceChildren(makeInstance(), releaseImages, releaseRules);
    expect(role.rules).toEqual([
      {
        apiGroups: ["pallas.helu.ca"],
        resources: ["pallasagents", "pallasservers", "pallasinstances"],
        verbs: ["list", "watch"],
      },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
    ]);
  });
});
