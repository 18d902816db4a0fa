// Random instances and agents that are valid in every respect, for properties of what is rendered from them. What the
// API server would refuse for another reason than security, such as limits below requests, is not made.
import fc from "fast-check";
import { efforts } from "../../../crds/agent-settings.ts";

const word = fc.stringMatching(/^[a-z]([-a-z0-9]{0,12}[a-z0-9])?$/);
const labelKey = fc
  .tuple(fc.option(fc.constantFrom("example.com", "pallas.helu.ca", "app.kubernetes.io"), { nil: undefined }), word)
  .map(([domain, name]) => (domain === undefined ? name : `${domain}/${name}`));
const labelValue = fc.oneof(fc.constant(""), fc.constantFrom("true", "root", "privileged"), word);
const labels = fc.dictionary(labelKey, labelValue, { maxKeys: 6 });
const annotations = fc.dictionary(labelKey, fc.string({ unit: "grapheme", maxLength: 60 }), { maxKeys: 6 });
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
const secret = fc.record({
  secretKeyRef: fc.record({ name: word, key: fc.stringMatching(/^[a-zA-Z0-9][-._a-zA-Z0-9]{0,20}$/) }),
});
const duration = fc.integer({ min: 1, max: 7200 }).map((seconds) => `${seconds}s`);
const quantityIn = (min: number, max: number, unit: string) =>
  fc.integer({ min, max }).map((amount) => `${amount}${unit}`);

/** Each field present or absent. */
const optional = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });

// Limits start where requests end, the built-in requests included.
const resources = optional({
  requests: optional({
    cpu: quantityIn(1, 100, "m"),
    memory: quantityIn(1, 128, "Mi"),
    "ephemeral-storage": quantityIn(1, 64, "Mi"),
  }),
  limits: optional({
    cpu: quantityIn(1, 8, ""),
    memory: quantityIn(1, 8, "Gi"),
    "ephemeral-storage": quantityIn(64, 900, "Mi"),
  }),
});

const effect = fc.constantFrom("NoSchedule", "PreferNoSchedule", "NoExecute");
const toleration = fc.oneof(
  fc.constant({ operator: "Exists" }),
  fc.record({ key: labelKey, operator: fc.constant("Exists"), effect }),
  fc.record({ key: labelKey, operator: fc.constant("Equal"), value: labelValue, effect }),
  fc.record({
    key: labelKey,
    operator: fc.constant("Exists"),
    effect: fc.constant("NoExecute"),
    tolerationSeconds: fc.integer({ min: 0, max: 600 }),
  }),
);
const spread = fc.record({
  maxSkew: fc.integer({ min: 1, max: 5 }),
  topologyKey: fc.constantFrom("kubernetes.io/hostname", "topology.kubernetes.io/zone"),
  whenUnsatisfiable: fc.constantFrom("DoNotSchedule", "ScheduleAnyway"),
  labelSelector: fc.record({ matchLabels: labels }),
});
const pod = optional({
  labels,
  annotations,
  nodeSelector: labels,
  tolerations: fc.array(toleration, { maxLength: 4 }),
  // Built in: any other would have to be made first.
  priorityClassName: fc.constantFrom("", "system-cluster-critical", "system-node-critical"),
  topologySpreadConstraints: fc.uniqueArray(spread, {
    maxLength: 3,
    selector: ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`,
  }),
});
const history = optional({
  compactAt: fc.double({ min: 0.1, max: 1, noNaN: true }),
  idleTtl: duration,
  // No more than the smallest claim, since a contradiction is refused.
  maxBytes: quantityIn(1, 1024, "Mi"),
  // No more than the built-in memory has room for.
  maxBytesPerConversation: quantityIn(1, 32, "Mi"),
  keepTurns: fc.integer({ min: 1, max: 100 }),
});
const limits = optional({
  wallClock: duration,
  toolCalls: fc.integer({ min: 0, max: 10_000 }),
  totalTokens: fc.integer({ min: 1, max: 1_000_000_000 }),
  toolResultBytes: fc.integer({ min: 1_000, max: 10_000_000 }),
  queuedCalls: fc.integer({ min: 0, max: 10_000 }),
  concurrentCalls: fc.integer({ min: 1, max: 10_000 }),
});
const request = optional({
  temperature: fc.double({ min: 0, max: 2, noNaN: true }),
  topP: fc.double({ min: 0, max: 1, noNaN: true }),
  topK: fc.integer({ min: 1, max: 1_000_000 }),
  maxTokens: fc.integer({ min: 1, max: 10_000_000 }),
  stop: fc.array(text, { maxLength: 4 }),
  effort: fc.constantFrom(...efforts),
  parallelToolCalls: fc.boolean(),
  maxSteps: fc.integer({ min: 1, max: 1_000 }),
});
const modelCapabilities = optional({
  vision: fc.boolean(),
  contextWindow: fc.integer({ min: 1_000_000, max: 100_000_000 }),
  maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
  reasoningContent: fc.constantFrom("auto", "keep", "omit"),
  pdf: fc.boolean(),
});
const peers = fc.array(
  fc.oneof(
    fc.record({ podSelector: fc.record({ matchLabels: labels }) }),
    fc.record({ namespaceSelector: fc.record({ matchLabels: labels }) }),
    fc.record({ ipBlock: fc.constant({ cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }) }),
  ),
  { maxLength: 3 },
);
const networkPolicy = optional({ enabled: fc.boolean(), from: peers, to: peers });
const policyRef = fc.constant({ name: "careful" });
const defaults = { resources, limits, request, pod, history, drainTimeout: duration, networkPolicy, policyRef };

const header = (at: number) =>
  fc.oneof(
    fc.record({ name: fc.constant(`X-H${at}`), value: fc.stringMatching(/^[ -#%-~]{0,40}$/) }),
    fc.record({ name: fc.constant(`X-H${at}`), valueFrom: secret }),
  );
const headers = fc.tuple(header(0), header(1), header(2));
const serverNames = ["argos", "neo4j", "files"];
const kinds = ["anthropic", "openai", "google", "huggingface", "bedrock"];

const service = optional({
  type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
  port: fc.integer({ min: 1, max: 65_535 }),
});
const role = fc.constantFrom("viewer", "caller", "approver", "operator", "admin");
const access = fc.oneof(
  fc.record({
    role,
    serviceAccount: fc.record({ name: word }),
    agents: fc.constantFrom(["*"], ["research-*", "echo"]),
    servers: fc.constantFrom(["*"], ["argos"]),
  }),
  fc.record({ role, tokenFrom: secret }),
  fc.record({ agent: word, tokenFrom: secret }),
);
const podMonitor = { mode: "podMonitor", interval: "30s", timeout: "3s" };

const instanceSpec = optional({
  version: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((parts) => parts.join(".")),
  title: text,
  modelCapabilities,
  externalUrl: fc.oneof(
    fc.record({ host: word }),
    fc.record({ template: fc.constant("https://example.com/{namespace}/{agent}/mcp") }),
  ),
  telemetry: optional({ otlpEndpoint: fc.constantFrom("", "http://otel:4318") }),
  agentDefaults: optional({ ...defaults, scope: fc.constantFrom("shared", "connection", "request") }),
  caBundle: fc.record({ configMapKeyRef: fc.record({ name: word, key: word }) }),
  proxy: optional({
    https: fc.constantFrom("", "http://proxy:3128"),
    http: fc.constant("http://10.0.0.1:3128"),
    noProxy: fc.uniqueArray(word, { maxLength: 5 }),
  }),
  http: optional({
    allowedHosts: fc.uniqueArray(word, { maxLength: 5 }),
    allowedOrigins: fc.constantFrom([], ["https://chat.example.com"]),
    // No more than the built-in memory has room for.
    bodyLimit: quantityIn(1, 32, "Mi"),
  }),
  imagePullSecrets: fc.uniqueArray(fc.record({ name: word }), { maxLength: 4, selector: ({ name }) => name }),
  images: optional({
    agent: fc.constantFrom("", "example.com/team/agent:1", `example.com/agent@sha256:${"0a".repeat(32)}`),
    registry: fc.constantFrom("", "example.com/team/registry:1"),
    gateway: fc.constantFrom("", "example.com/team/gateway:1"),
  }),
  gateway: optional({
    replicas: fc.integer({ min: 0, max: 16 }),
    service,
    management: fc.constantFrom("approve", "readWrite"),
    access: fc.array(access, { maxLength: 4 }),
    directory: optional({ public: fc.boolean() }),
    policyRef,
    approvals: optional({ timeout: fc.constantFrom("10s", "24h"), keep: fc.constantFrom("0s", "720h") }),
    log: optional({ arguments: fc.constantFrom("off", "redacted") }),
    browse: fc.record({
      sources: fc.constantFrom([], [{ name: "packages", kind: "npm", url: "https://npm.example.com:8443" }]),
    }),
    embeddings: fc.oneof(
      fc.record({ kind: fc.constantFrom("static", "none") }),
      fc.record({
        kind: fc.constant("openai"),
        baseUrl: fc.constantFrom("http://models.ai.svc/v1", "https://203.0.113.7/v1"),
        model: word,
        apiKey: secret,
      }),
    ),
    pinnedTools: fc.uniqueArray(
      word.map((tool) => `argos__${tool}`),
      { maxLength: 5 },
    ),
    resources,
  }),
  registry: fc.oneof(
    optional({ replicas: fc.integer({ min: 0, max: 1 }), service }),
    // Several replicas need this mode.
    fc.record({ replicas: fc.integer({ min: 0, max: 16 }), service, metrics: fc.constant(podMonitor) }),
  ),
  logLevel: fc.constantFrom("TRACE", "DEBUG", "INFO", "WARNING", "ERROR"),
});

const oauth = fc.record(
  {
    tokenUrl: fc.constantFrom("https://id.example.com/token", "http://id.tools.svc/token"),
    clientId: word,
    clientSecret: secret,
    clientAuth: fc.constantFrom("basic", "post"),
    scopes: fc.uniqueArray(word, { maxLength: 3 }),
    audience: word,
    resource: fc.constant("https://tools.example.com"),
  },
  { requiredKeys: ["tokenUrl", "clientId", "clientSecret"] },
);
/** A token of the agent's own: in place of a caller's, and of a key. */
const ownAuth = fc.record({ oauth });

const ofProvider = {
  headers,
  kind: fc.constantFrom("anthropic", "openai", "google"),
  baseUrl: fc.constantFrom("http://models.ai.svc:8080/v1", "https://models.example.com"),
  requireListedModel: fc.boolean(),
};
const provider = fc.oneof(
  fc.record(
    { ...ofProvider, apiKey: secret, forwardInboundAuth: fc.boolean() },
    { requiredKeys: ["apiKey", "headers"] },
  ),
  fc.record({ ...ofProvider, auth: ownAuth }, { requiredKeys: ["auth", "headers"] }),
);
const ofServer = { timeout: duration, instructions: fc.boolean() };
const serverSettings = fc.oneof(
  optional({ ...ofServer, forwardInboundAuth: fc.boolean() }),
  optional({ ...ofServer, auth: ownAuth }),
);

export const randomInstance = fc
  .tuple(instanceSpec, fc.array(provider, { minLength: 5, maxLength: 5 }), headers, serverSettings)
  .map(([spec, providers, serverHeaders, server]) => ({
    ...spec,
    defaultModel: "anthropic.claude",
    providers: [
      ...kinds.map((name, at) => ({ name, ...providers[at] })),
      { name: "regional", kind: "bedrock", region: "eu-central-1" },
    ],
    servers: serverNames.map((name) => ({
      ...{ name, url: `http://${name}.tools.svc/mcp`, headers: serverHeaders, ...server },
      prefix: `${name}-tools`,
    })),
  }));

const instructions = fc.oneof(
  fc.constant({}),
  fc.record({ instruction: fc.string({ unit: "grapheme", maxLength: 400 }) }),
  fc.record({ instructionFrom: fc.record({ configMapKeyRef: fc.record({ name: word, key: word }) }) }),
);
/** Several pods only where they share nothing. */
const shape = fc.oneof(
  fc.record({ scope: fc.constant("request"), replicas: fc.integer({ min: 0, max: 1000 }) }),
  optional({
    scope: fc.constantFrom("shared", "connection"),
    storage: fc.record(
      {
        size: quantityIn(1, 100, "Gi"),
        storageClassName: word,
        onDelete: fc.constantFrom("Retain", "Delete"),
      },
      { requiredKeys: ["size"] },
    ),
  }),
);

/** Those that a random agent may call or wait for. */
export const neighbours = ["neighbour-one", "neighbour-two"];
const someNeighbours = fc.subarray(neighbours);
const tools = optional({ allow: fc.uniqueArray(word, { maxLength: 3 }), deny: fc.uniqueArray(word, { maxLength: 3 }) });

export const randomAgent = fc.record({
  name: fc
    .tuple(
      fc.stringMatching(/^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$/),
      fc.constantFrom("", "-agent", "-run-config", "-live-config"),
    )
    .map(([name, end]) => name.slice(0, 50 - end.length).replace(/-+$/, "") + end)
    .filter(
      (name) =>
        !name.endsWith("-registry") && !["send-message", "get-health", "clear-history", "history"].includes(name),
    ),
  spec: fc
    .tuple(
      optional({
        ...defaults,
        title: text,
        description: text,
        model: fc.constantFrom(...kinds.map((kind) => `${kind}.x`), "passthrough"),
        fallbackModels: fc.uniqueArray(fc.constantFrom("openai.y", "google.z"), { maxLength: 2 }),
        servers: fc.uniqueArray(
          fc.record({ name: fc.constantFrom(...serverNames), tools }, { requiredKeys: ["name"] }),
          { selector: ({ name }) => name },
        ),
        icons: fc.array(fc.constant({ src: "https://example.com/a.svg", mimeType: "image/svg+xml" }), { maxLength: 2 }),
        modelCapabilities,
        agents: someNeighbours.chain((names) =>
          fc.tuple(...names.map((name) => fc.record({ name: fc.constant(name), forwardInboundAuth: fc.boolean() }))),
        ),
        dependsOn: someNeighbours,
        emitLoopProgress: fc.boolean(),
        askUser: fc.boolean(),
        port: fc.integer({ min: 1, max: 65_535 }),
      }),
      instructions,
      shape,
    )
    .map((parts) => Object.assign({}, ...parts)),
});
