import { describe, expect, it } from "vitest";
import { parseLiveConfig, parseRunConfig } from "../crds/run-config.ts";
import { renderResolved } from "./resolved.ts";
import { hashRunConfig, referencedFiles, serialiseConfig } from "./run-config.ts";
import {
  agentManifestOf,
  instanceManifestOf,
  sampleAgent,
  sampleInstance,
  sampleNeighbourhood,
  sampleUrls,
} from "./testing/resources.ts";
import { clusterPeerUrls } from "./urls.ts";

const secret = (key: string) => ({ valueFrom: { secretKeyRef: { name: "keys", key } } });
const instanceSpec = {
  version: "2.1.0",
  externalUrl: { template: "https://{instance}.example.com:8443/{agent}/mcp" },
  defaultModel: "openai.qwen3-8b",
  modelCapabilities: { contextWindow: 200_000 },
  providers: [
    {
      name: "openai",
      kind: "openai-compatible",
      baseUrl: "http://llama.models.svc:8080/v1",
      apiKey: { secretKeyRef: { name: "keys", key: "openai" } },
      headers: [
        { name: "X-Team", value: "blue" },
        { name: "X-Token", ...secret("team") },
      ],
    },
    { name: "anthropic", apiKey: { secretKeyRef: { name: "keys", key: "anthropic" } } },
  ],
  servers: [
    {
      name: "argos",
      url: "http://argos.tools.svc:8000/mcp",
      headers: [{ name: "Authorization", ...secret("argos") }],
      timeout: "90s",
    },
    { name: "neo4j", url: "http://neo4j.tools.svc/mcp", forwardInboundAuth: true, prefix: "graph" },
    { name: "unused", url: "http://unused/mcp" },
  ],
  http: { allowedHosts: ["agents.example"], allowedOrigins: ["https://chat.example"], bodyLimit: "1Mi" },
  logLevel: "DEBUG",
};
const agentSpec = {
  description: "Web search",
  instructionFrom: { configMapKeyRef: { name: "prompts", key: "research.md" } },
  fallbackModels: ["passthrough"],
  request: { temperature: 0.2, maxSteps: 9 },
  servers: [{ name: "argos", tools: { allow: ["search_*"], deny: ["*_raw"] } }, { name: "neo4j" }],
  agents: [{ name: "archive", forwardInboundAuth: true }, { name: "web-search" }],
  limits: { wallClock: "1m" },
};
const others = [sampleAgent("archive", { description: "Old papers." }), sampleAgent("web-search")];

function resolve(agent: object = {}, instance: object = {}) {
  const own = sampleAgent("research", { ...agentSpec, ...agent });
  const around = sampleNeighbourhood(sampleInstance({ ...instanceSpec, ...instance }), own, ...others);
  return renderResolved(own, around, clusterPeerUrls("default"));
}

const render = (agent: object = {}, instance: object = {}) => resolve(agent, instance).config;

/** Paths of all that is no object or list, or an empty one. */
const leavesOf = (value: unknown): string[][] => {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return entries.length === 0
    ? [[]]
    : entries.flatMap(([name, child]) => leavesOf(child).map((path) => [name, ...path]));
};

describe("CFG-1 the run configuration has all that an agent needs, resolved", () => {
  it("golden: an agent that uses most of it", () => {
    expect(render()).toEqual({
      schema: 1,
      agent: {
        name: "research",
        namespace: "default",
        instance: "ouranos",
        title: "Research",
        description: "Web search",
        version: "2.1.0",
      },
      instruction: { configMap: { name: "prompts", key: "research.md" } },
      models: [
        {
          ref: "openai.qwen3-8b",
          provider: "openai",
          name: "qwen3-8b",
          capabilities: { vision: false, contextWindow: 200_000, maxOutputTokens: 16_384 },
          capabilitiesDeclared: true,
        },
        {
          ref: "passthrough",
          provider: "passthrough",
          name: "passthrough",
          capabilities: { vision: false, contextWindow: 131_072, maxOutputTokens: 16_384 },
          capabilitiesDeclared: false,
        },
      ],
      providers: [
        {
          name: "openai",
          kind: "openai-compatible",
          baseUrl: "http://llama.models.svc:8080/v1",
          apiKey: { name: "keys", key: "openai" },
          headers: [
            { name: "X-Team", value: "blue" },
            { name: "X-Token", secret: { name: "keys", key: "team" } },
          ],
          requireListedModel: true,
          forwardInboundAuth: false,
        },
        { name: "passthrough", kind: "passthrough", headers: [], requireListedModel: false, forwardInboundAuth: false },
      ],
      request: { temperature: 0.2, stop: [], parallelToolCalls: true, maxSteps: 9 },
      servers: [
        {
          name: "argos",
          url: "http://argos.tools.svc:8000/mcp",
          prefix: "argos",
          headers: [{ name: "Authorization", secret: { name: "keys", key: "argos" } }],
          forwardInboundAuth: false,
          instructions: true,
          timeoutMs: 90_000,
          allow: ["search_*"],
          deny: ["*_raw"],
        },
        {
          name: "neo4j",
          url: "http://neo4j.tools.svc/mcp",
          prefix: "graph",
          headers: [],
          forwardInboundAuth: true,
          instructions: true,
          timeoutMs: 60_000,
          allow: [],
          deny: [],
        },
      ],
      agents: [
        {
          name: "archive",
          url: "http://archive.default.svc:8080/mcp",
          description: "Old papers.",
          forwardInboundAuth: true,
        },
        {
          name: "web-search",
          url: "http://web-search.default.svc:8080/mcp",
          description: "Asks the agent Web Search.",
          forwardInboundAuth: false,
        },
      ],
      scope: "connection",
      sessions: true,
      emitLoopProgress: true,
      limits: {
        wallClockMs: 60_000,
        toolCalls: 200,
        totalTokens: 2_000_000,
        toolResultBytes: 33_000,
        queuedCalls: 64,
        concurrentCalls: 64,
      },
      history: {
        compactAt: 0.85,
        keepTurns: 2,
        idleTtlMs: 2_592_000_000,
        maxBytes: 2 ** 30,
        maxBytesPerConversation: 2 ** 24,
      },
      drainTimeoutMs: 600_000,
      http: {
        allowedHosts: ["ouranos.example.com", "agents.example"],
        allowedOrigins: ["https://chat.example"],
        bodyLimitBytes: 2 ** 20,
      },
      logLevel: "DEBUG",
    });
    expect(resolve().live).toEqual({
      schema: 1,
      severalPods: false,
      card: {
        name: "ca.helu.ouranos/research",
        title: "Research",
        description: "Web search",
        url: "https://ouranos.example.com:8443/research/mcp",
      },
    });
  });

  it("an agent that says nothing has a neutral instruction, a title of its name and every default", () => {
    const agent = sampleAgent("deep-research");
    const { config } = renderResolved(agent, sampleNeighbourhood(sampleInstance(), agent), sampleUrls);
    expect(config).toMatchObject({
      agent: { title: "Deep Research", description: "Deep Research", version: "1.0.0" },
      instruction: { text: expect.stringContaining("helpful assistant") },
      http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: 32 * 2 ** 20 },
      logLevel: "INFO",
    });
  });

  it("the schema of an agent's answers is handed on as it is written", () => {
    const schema = { type: "object", properties: { a: { default: null, enum: ["x", null] } }, required: ["a"] };
    const config = render({ output: { schema } });
    expect(config.output).toEqual({ schema });
    expect(parseRunConfig(serialiseConfig(config)).output).toEqual({ schema });
    expect(render()).not.toHaveProperty("output");
  });

  it("AGT-6 OPR-10 how many pods there are is for the live configuration alone", () => {
    const of = [0, 1, 2, 3].map((replicas) => resolve({ replicas, scope: "request" }));
    expect(of.map(({ live }) => live.severalPods)).toEqual([false, false, true, true]);
    expect(new Set(of.map(({ hash }) => hash)).size).toBe(1);
  });

  it.each(["request", "connection", "shared"])(
    "OPR-11 AGT-6 with scope %s a runtime without live configuration opens sessions only where one pod is all there can be",
    (scope) => {
      expect(render({ scope }).sessions).toBe(scope !== "request");
    },
  );

  it("is read back as it was written, as is the live configuration", () => {
    expect(parseRunConfig(serialiseConfig(render()))).toEqual(render());
    expect(parseLiveConfig(serialiseConfig(resolve().live))).toEqual(resolve().live);
  });
});

describe("OPR-2 what an agent does not use does not roll it", () => {
  const before = serialiseConfig(render());
  const [openai, anthropic] = instanceSpec.providers;
  const [argos, neo4j] = instanceSpec.servers;

  it.each<[string, object]>([
    ["another provider", { providers: [openai, { ...anthropic, headers: [{ name: "X", value: "new" }] }] }],
    ["no other provider", { providers: [openai] }],
    ["another order of providers", { providers: [anthropic, openai] }],
    ["another server", { servers: [argos, neo4j, { name: "unused", url: "http://elsewhere/mcp" }] }],
    ["another order of servers", { servers: [neo4j, argos] }],
    ["the registry", { registry: { service: { port: 80 } } }],
    ["the instance's title", { title: "New" }],
    ["pull secrets", { imagePullSecrets: [{ name: "x" }] }],
    ["an empty endpoint of telemetry", { telemetry: { otlpEndpoint: "" } }],
    ["a default it overrides", { agentDefaults: { request: { maxSteps: 3 }, limits: { wallClock: "9m" } } }],
  ])("%s changes no byte", (_, change) => {
    expect(serialiseConfig(render({}, change))).toBe(before);
  });

  it.each<[string, object]>([
    ["the registry's namespace", { registryNamespace: "com.example" }],
    ["the path of the outside URL", { externalUrl: { template: "https://ouranos.example.com:8443/x/{agent}/mcp" } }],
  ])("CAT-11 %s changes the card, which is read as it is asked for, and no byte that pods roll for", (_, change) => {
    expect(resolve({}, change).live.card).not.toEqual(resolve().live.card);
    expect(serialiseConfig(render({}, change))).toBe(before);
  });

  it.each<[string, object]>([
    ["its provider", { providers: [{ ...openai, baseUrl: "http://new/v1" }] }],
    ["its server", { servers: [{ ...argos, timeout: "1s" }, neo4j] }],
    ["where its traces go", { telemetry: { otlpEndpoint: "http://otel:4318" } }],
    ["a default it has not", { agentDefaults: { request: { topK: 3 } } }],
  ])("%s changes the hash", (_, change) => {
    expect(hashRunConfig(render({}, change))).not.toBe(hashRunConfig(render()));
  });

  it("whatever is in it, a change of just that changes the hash", () => {
    const config = render();
    const paths = leavesOf(config);
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) {
      const text = serialiseConfig(config);
      const changed = structuredClone(config);
      const parent = path.slice(0, -1).reduce<object>((at, name) => Object(Reflect.get(at, name)), changed);
      Reflect.set(parent, path.at(-1) ?? "", "another");
      expect(serialiseConfig(changed), path.join(".")).not.toBe(text);
      expect(hashRunConfig(changed), path.join(".")).not.toBe(hashRunConfig(config));
    }
  });

  it("the same resources, written in another order of keys, give the same bytes", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, child]) => [key, reversed(child)]),
      );
    };
    const spec = (manifest: object) => Object(reversed(manifest)).spec;
    const agent = sampleAgent("research", spec(agentManifestOf("research", agentSpec)));
    const instance = sampleInstance(spec(instanceManifestOf(instanceSpec)));
    const { config } = renderResolved(
      agent,
      sampleNeighbourhood(instance, agent, ...others),
      clusterPeerUrls("default"),
    );
    expect(serialiseConfig(config)).toBe(before);
    expect(hashRunConfig(config)).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("BRR-4 OPR-9 secrets are named, never read", () => {
  it("every Secret and text that the agent's files must hold is listed, and nothing it does not use", () => {
    expect(referencedFiles(render())).toEqual({
      secrets: [
        { name: "keys", key: "openai" },
        { name: "keys", key: "team" },
        { name: "keys", key: "argos" },
      ],
      texts: [{ name: "prompts", key: "research.md" }],
    });
    expect(referencedFiles(render({ instructionFrom: null, instruction: "You are." })).texts).toEqual([]);
  });

  it("a header or key from a Secret has no value in the configuration", () => {
    const { providers, servers } = render();
    const headers = [...providers, ...servers].flatMap((entry) => entry.headers);
    expect(headers.filter((header) => "secret" in header && "value" in header)).toEqual([]);
    expect(providers.map(({ apiKey }) => apiKey)).toEqual([{ name: "keys", key: "openai" }, undefined]);
  });
});

describe("AGT-11 authentication in the run configuration", () => {
  const jwt = { issuer: "https://id.example.com", audiences: ["pallas"] };

  it("names the issuer, the audiences, and the agent's published URL", () => {
    const resource = "https://ouranos.example.com:8443/research/mcp";
    expect(render({}, { auth: { jwt } }).auth).toEqual({ ...jwt, resource });
    expect(render({}, { auth: { jwt: { ...jwt, jwksUrl: "" } } }).auth).toEqual({ ...jwt, resource });
    const jwksUrl = "https://id.example.com/keys";
    expect(render({}, { auth: { jwt: { ...jwt, jwksUrl } } }).auth).toEqual({ ...jwt, jwksUrl, resource });
  });

  it.each([{}, { auth: {} }])("is absent with %j, so that no pod rolls", (spec) => {
    expect(serialiseConfig(render({}, spec))).not.toContain('"auth"');
  });
});
