// One instance, one agent and one tool server with every field of the schema set to something that is not its default, in
// variants where fields exclude each other. The drift test changes one field at a time.

const secret = (key: string) => ({ secretKeyRef: { name: "keys", key } });
const ownAuth = (client: string) => ({
  oauth: {
    tokenUrl: "https://id.example.com/token",
    clientId: client,
    clientSecret: secret(client),
    clientAuth: "post",
    scopes: ["read"],
    audience: "tools",
    resource: "https://tools.example.com",
  },
});
const selector = (value: string) => ({
  matchLabels: { tier: value },
  matchExpressions: [{ key: "zone", operator: "In", values: [value] }],
});
const peer = (value: string) => ({
  podSelector: selector(value),
  namespaceSelector: selector(value),
  ports: [{ protocol: "TCP", port: 80, endPort: 90 }],
});
const block = { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }, ports: [{ port: 443 }] };

const settings = {
  resources: { requests: { cpu: "100m" }, limits: { memory: "1Gi" } },
  limits: {
    wallClock: "5m",
    toolCalls: 50,
    totalTokens: 1000,
    toolResultBytes: 2000,
    queuedCalls: 8,
    concurrentCalls: 16,
  },
  scope: "request",
  request: {
    temperature: 0.2,
    topP: 0.9,
    topK: 40,
    maxTokens: 800,
    stop: ["END"],
    effort: "high",
    parallelToolCalls: false,
    maxSteps: 12,
  },
  history: { compactAt: 0.7, keepTurns: 3, idleTtl: "10h", maxBytes: "2Gi", maxBytesPerConversation: "8Mi" },
  pod: {
    labels: { team: "blue" },
    annotations: { note: "x" },
    nodeSelector: { disk: "ssd" },
    // The second of each has less, so that more values of the rest go with it.
    tolerations: [
      { key: "gpu", operator: "Equal", value: "yes", effect: "NoExecute", tolerationSeconds: 60 },
      { key: "slow", operator: "Equal", effect: "NoSchedule" },
    ],
    priorityClassName: "high",
    topologySpreadConstraints: [
      {
        maxSkew: 2,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: selector("a"),
        minDomains: 2,
      },
      { maxSkew: 1, topologyKey: "node", whenUnsatisfiable: "DoNotSchedule" },
    ],
  },
  drainTimeout: "2m",
  networkPolicy: { enabled: true, from: [peer("a"), block], to: [peer("b"), block] },
};

/** Variants of an instance's spec. */
export const fullInstanceSpecs = [
  {
    version: "2.1.0",
    registryNamespace: "com.example",
    title: "Team",
    externalUrl: { host: "agents.example.com" },
    defaultModel: "main.model-a",
    modelCapabilities: { vision: true, contextWindow: 2000, maxOutputTokens: 500, reasoningContent: "keep", pdf: true },
    providers: [
      {
        name: "main",
        kind: "bedrock",
        baseUrl: "http://models.ai.svc:8080/v1",
        region: "eu-central-1",
        apiKey: secret("main"),
        headers: [
          { name: "X-Team", value: "blue" },
          { name: "X-Token", valueFrom: secret("token") },
        ],
        requireListedModel: false,
        forwardInboundAuth: true,
      },
    ],
    servers: [
      {
        name: "argos",
        url: "http://argos.tools.svc:8000/mcp",
        headers: [
          { name: "X-Team", value: "blue" },
          { name: "X-Token", valueFrom: secret("token") },
        ],
        forwardInboundAuth: true,
        timeout: "90s",
        prefix: "web",
        instructions: false,
      },
    ],
    agentDefaults: { ...settings, policyRef: { name: "cautious" } },
    http: { allowedHosts: ["a.example.com"], allowedOrigins: ["https://chat.example.com"], bodyLimit: "8Mi" },
    registry: {
      replicas: 2,
      service: { type: "NodePort", port: 80 },
      metrics: { mode: "podMonitor", interval: "30s", timeout: "3s" },
    },
    gateway: {
      replicas: 2,
      service: { type: "NodePort", port: 81 },
      management: "readWrite",
      access: [
        { role: "caller", serviceAccount: { name: "on-call" }, agents: ["research-*"], servers: ["argos"] },
        { agent: "archive", tokenFrom: secret("clerk") },
      ],
      resources: { requests: { cpu: "100m" }, limits: { memory: "1Gi" } },
      directory: { public: true },
      log: { arguments: "redacted" },
      browse: { sources: [{ name: "packages", kind: "npm", url: "https://npm.example.com" }] },
      embeddings: {
        kind: "openai",
        baseUrl: "http://models.ai.svc:8080/v1",
        model: "embed-small",
        apiKey: secret("embeddings"),
      },
      pinnedTools: ["argos__search_web"],
      policyRef: { name: "cautious" },
      approvals: { timeout: "5m", keep: "24h" },
    },
    caBundle: { configMapKeyRef: { name: "corp-ca", key: "ca.crt" } },
    proxy: { https: "http://proxy:3128", http: "http://proxy:3129", noProxy: [".corp"] },
    telemetry: { otlpEndpoint: "http://otel:4318" },
    logLevel: "DEBUG",
    imagePullSecrets: [{ name: "regcred" }],
    images: { agent: "registry.example/a:1", registry: "registry.example/r:1", gateway: "registry.example/g:1" },
  },
  {
    registryNamespace: "com.example",
    defaultModel: "alt.model",
    modelCapabilities: {
      vision: true,
      contextWindow: 2000,
      maxOutputTokens: 500,
      reasoningContent: "omit",
      pdf: false,
    },
    providers: [
      { name: "alt", kind: "openai-compatible", baseUrl: "http://models.ai.svc:8080/v1", auth: ownAuth("provider") },
    ],
    registry: { metrics: { mode: "podMonitor" } },
    externalUrl: { template: "https://example.com/{agent}/mcp" },
    auth: { jwt: { issuer: "https://id.example.com", audiences: ["pallas"], jwksUrl: "https://id.example.com/keys" } },
    gateway: {
      access: [{ role: "viewer", claim: { name: "groups", value: "engineering" } }],
      embeddings: { kind: "none" },
      ui: { oidc: { clientId: "pallas", scopes: ["groups"] } },
    },
    servers: [{ name: "argos", url: "http://argos.tools.svc:8000/mcp", auth: ownAuth("server") }],
  },
];

/** Variants of an agent's spec; each goes with the instance at the same place. */
export const fullAgentSpecs = [
  {
    instanceRef: { name: "ouranos" },
    title: "Tech Research",
    policyRef: { name: "careful" },
    askUser: true,
    description: "Searches",
    icons: [{ src: "https://example.com/a.svg", mimeType: "image/svg+xml" }],
    instruction: "You are",
    model: "main.model-b",
    modelCapabilities: { vision: true, contextWindow: 3000, maxOutputTokens: 600, reasoningContent: "keep", pdf: true },
    fallbackModels: ["main.model-c"],
    servers: [{ name: "argos", tools: { allow: ["search_*"], deny: ["search_x"] } }],
    agents: [{ name: "archive", forwardInboundAuth: true }],
    dependsOn: ["editor"],
    emitLoopProgress: false,
    port: 24_101,
    replicas: 2,
    ...settings,
  },
  {
    instanceRef: { name: "ouranos" },
    instructionFrom: { configMapKeyRef: { name: "prompts", key: "research.md" } },
    servers: [{ name: "argos" }],
    storage: { size: "1Gi", storageClassName: "fast", onDelete: "Delete" },
  },
];

const ofEveryServer = {
  instanceRef: { name: "ouranos" },
  serverName: "graph",
  title: "Graph",
  description: "Keeps facts",
  tags: ["memory"],
  active: false,
  listed: true,
  tools: { allow: ["read_*"], deny: ["read_all"] },
  timeout: "90s",
  pin: "block",
  resources: settings.resources,
  pod: settings.pod,
};
const ofLocalServers = {
  env: [
    { name: "MODE", value: "rw" },
    { name: "TOKEN", valueFrom: secret("token") },
  ],
  sessions: { processes: "shared", max: 4, idleTtl: "5m" },
  egress: [{ host: "10.0.0.7", port: 8443 }],
};

/** Variants of a tool server's spec: what it may be made of. */
export const fullServerSpecs = [
  {
    ...ofEveryServer,
    remote: {
      url: "https://tools.example.com/mcp",
      headers: [
        { name: "X-Team", value: "blue" },
        { name: "X-Token", valueFrom: secret("token") },
      ],
      forwardInboundAuth: true,
    },
  },
  {
    ...ofEveryServer,
    ...ofLocalServers,
    container: { image: "registry.example/tools/graph:1", command: ["/graph"], args: ["-v"] },
  },
  {
    ...ofEveryServer,
    ...ofLocalServers,
    package: { kind: "npm", name: "server-graph", version: "1.0.0", command: "graph", args: ["-v"] },
  },
  {
    ...ofEveryServer,
    ...ofLocalServers,
    package: { kind: "pypi", name: "server-graph", version: "1.0.0", with: ["mcp<2"] },
  },
  { ...ofEveryServer, ...ofLocalServers, local: { command: "node", args: ["server.js"], cwd: "tools" } },
];
