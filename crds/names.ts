// Names that two programs must agree on: the API group, labels, ports, names of children, and the spelling of an
// agent's name where it is part of an MCP name. Nothing here reads a resource.

export const group = "pallas.helu.ca";
export const version = "v1alpha1";
export const apiVersion = `${group}/${version}`;

/** Field manager of everything the operator applies (OPR-2). */
export const fieldManager = "pallas-operator";

/** Selector labels; they never change, because a Deployment's selector cannot. */
export const labels = {
  instance: `${group}/instance`,
  agent: `${group}/agent`,
  server: `${group}/server`,
  component: `${group}/component`,
  /** Set by users on pods that may call agents (SEC-3). */
  client: `${group}/client`,
} as const;

export const annotations = {
  /** On the run-configs of an agent: the one with the greatest number is the latest that it was given. */
  revision: `${group}/revision`,
  /** Hash of a child as it was last applied: tells fields that are no longer wanted. */
  appliedHash: `${group}/applied-hash`,
  /** The image a Deployment was last given: tells one that was set by hand from that of an earlier release. */
  image: `${group}/image`,
  /** The image that a Deployment had when it was given the one it has, if it served then. */
  previousImage: `${group}/previous-image`,
} as const;

export type Component = "agent" | "registry" | "gateway" | "server";

export const ports = {
  agentMcp: 8080,
  agentAdmin: 9090,
  registry: 24_200,
  registryAdmin: 9090,
  gateway: 24_300,
  gatewayAdmin: 9090,
  bridge: 8080,
  bridgeAdmin: 9090,
  operatorAdmin: 9090,
} as const;

/** Keys of the ConfigMaps that agents, gateways and bridges read, and names of their files. */
export const configFiles = {
  run: "run-config.json",
  live: "live-config.json",
  gateway: "gateway.json",
  bridge: "bridge.json",
} as const;

/** Names of files below mounts.tokens, by whom they are shown to. */
export const tokenNames = { agents: "agents", gateway: "gateway" } as const;

/** Where things are mounted in the pod of an agent or gateway; the same layout below a folder of its own in local mode. */
export const mounts = {
  configs: "/etc/pallas",
  runConfig: `/etc/pallas/${configFiles.run}`,
  liveConfig: `/etc/pallas/${configFiles.live}`,
  gatewayConfig: `/etc/pallas/${configFiles.gateway}`,
  bridgeConfig: `/etc/pallas/${configFiles.bridge}`,
  /** {configMap}/{key} */
  texts: "/var/run/pallas/texts",
  /** Where tokens are that the API server does not take (SEC-1): a gateway's for its agents, an agent's for its gateway. */
  tokens: "/var/run/pallas/tokens",
  /** {secret}/{key} */
  secrets: "/var/run/pallas/secrets",
  caBundle: "/var/run/pallas/ca/bundle.crt",
  /** Stored conversations; a claim where spec.storage asks for one. */
  histories: "/var/lib/pallas/histories",
  /** What a server writes: its home, caches and temporary files. */
  serverWork: "/var/lib/pallas/work",
  /** Named pipes between a bridge and the container of its server, and what starts that. */
  serverPipes: "/var/run/pallas/pipes",
  /** A gateway's sessions, on the volume of its pod. */
  sessions: "/tmp/sessions.json",
} as const;

/** Labels of the operator's own pods, wherever it is installed: agents let it in by them (SEC-3). */
export const operatorLabels = { "app.kubernetes.io/name": "pallas-operator" } as const;

export const agentChildren = (agent: string) => ({
  deployment: agent,
  service: agent,
  serviceAccount: `${agent}-agent`,
  /** One for each state that its pods run on, by its hash: the pod template names it, so that a change rolls the pods (OPR-2). */
  runConfig: (hash: string) => `${agent}-run-config-${hash}`,
  liveConfig: `${agent}-live-config`,
  networkPolicy: agent,
  podDisruptionBudget: agent,
  historyClaim: `${agent}-history`,
});

/** One name serves every child of a registry, and of a gateway, since each is of another kind. */
export const registryName = (instance: string) => `${instance}-registry`;
export const gatewayName = (instance: string) => `${instance}-gateway`;
/** One for each state that its pods run on, by its hash, as agents have (OPR-2). */
export const gatewayConfigName = (instance: string, hash: string) => `${gatewayName(instance)}-config-${hash}`;

/** Names of a PallasServer's children; agents may have the same name as a server. */
export const serverChildren = (server: string) => ({
  deployment: `${server}-server`,
  service: `${server}-server`,
  serviceAccount: `${server}-server`,
  /** One for each state that its pods run on, by its hash (OPR-2). */
  config: (hash: string) => `${server}-server-config-${hash}`,
  networkPolicy: `${server}-server`,
});

/** Who the token of a ServiceAccount names as its subject. */
export const accountSubject = (namespace: string, name: string) => `system:serviceaccount:${namespace}:${name}`;

/** What a ServiceAccount's token for the gateway of an instance is made out to; the API server takes no such token (SEC-1). */
export const gatewayAudience = (instance: string, namespace: string) => `pallas:${namespace}/${instance}`;

/** What that gateway's own token for the admin ports of its agents is made out to. */
export const agentsAudience = (instance: string, namespace: string) => `pallas-agents:${namespace}/${instance}`;

/** `tech-research` → `tech_research`: the spelling in tool, prompt and progress names. */
export const mcpName = (agent: string) => agent.replaceAll("-", "_");

/** `tech_research` → `tech-research`: the last part of a catalogue name (CAT-2). */
export const slug = (agent: string) => agent.replaceAll("_", "-");

/** `tech-research` → `Tech Research` (CAT-3). */
export const titleFromName = (name: string) =>
  name
    .split(/[-_]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");

/** Where the result of a call carries the id of its conversation. */
export const sessionIdMetaKey = "ca.helu.pallas/session_id";
/** `true` in the `_meta` of progress: the agent waits for people, and its own time stands still. */
export const waitsMetaKey = "ca.helu.pallas/waits";
/** In the `_meta` of a call of an agent by another: through whom it came. It proves nothing. */
export const chainMetaKey = "ca.helu.pallas/chain";
/** In the `_meta` of results: names of the servers whose tools the agent had to do without. */
export const unavailableServersMetaKey = "ca.helu.pallas/unavailable_servers";

/** On an agent's admin port, which only its gateway and what watches it reach; `/mcp` of it is the compositor. */
export const compositorPath = "/compositor";

/** By this name agents list their gateway's own tool among their servers, where no server has it; that tool is called so too. */
export const registryServerName = "registry";

/** On a gateway: that tool, and what is listed beside it. */
export const registryMcpPath = "/registry/mcp";

/** The tool that forgets a conversation. */
export const clearHistoryToolName = "clear_history";

export const historyPromptName = (agent: string) => `${mcpName(agent)}_history`;

/** Base URL of a Service inside the cluster, without the cluster's domain, which pods' search path adds. */
export const serviceUrl = (service: string, namespace: string, port: number) =>
  `http://${service}.${namespace}.svc:${port}`;

/** Names an agent cannot have: they would collide with tools, the history prompt or a registry's children. */
export const reservedAgentNames = ["send-message", "get-health", "clear-history", "history"] as const;
export const maxNameChars = 50;
