// PallasInstance: what a group of agents shares (CFG-1). Fields that agentDefaults can set carry no schema default,
// since the API server fills defaults before anybody sees what was written.
import * as z from "zod";
import { agentDefaults } from "./agent-settings.ts";
import { maxCatalogueNameChars } from "./catalogue.ts";
import { conditionList, manifestSchema, observedGeneration, timestamp, type ResourceDefinition } from "./definition.ts";
import { choice, flag, integer, namedList, object, setOf, text, withRules } from "./fields.ts";
import { gateway } from "./gateway.ts";
import { maxNameChars } from "./names.ts";
import {
  builtInProviders,
  configMapSource,
  header,
  label,
  model,
  modelCapabilities,
  nameRef,
  optionalUrl,
  ownAuth,
  secretSource,
  serverName,
  url,
} from "./references.ts";
import { duration, quantity } from "./units.ts";

export const providerKinds = ["anthropic", "openai", "openai-compatible", "google", "bedrock", "huggingface"] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The kind a provider has when it does not say: its own name, when that is a kind. */
export const providerKind = (provider: { name: string; kind?: ProviderKind | undefined }): ProviderKind | undefined =>
  provider.kind ?? providerKinds.find((kind) => kind === provider.name);

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(", ");

/** One Authorization header has room for one of them. */
const oneToken = (of: "provider" | "server") => ({
  cel: "!has(self.auth) || !has(self.forwardInboundAuth) || !self.forwardInboundAuth",
  message: `auth and forwardInboundAuth exclude each other: a ${of} gets the agent's token or the caller's`,
  holds: (entry: { auth?: unknown; forwardInboundAuth?: boolean }) =>
    entry.auth === undefined || entry.forwardInboundAuth !== true,
});

const provider = withRules(
  object("A place that serves models.", {
    name: label("Name that models refer to before the first dot."),
    kind: choice(providerKinds, "The protocol it speaks. Default: the name, when it is one of these.").exactOptional(),
    baseUrl: url("Base URL; required for openai-compatible, else the vendor's.").exactOptional(),
    region: text(63, "Region; bedrock only.", {
      min: 1,
      pattern: /^[a-z0-9-]+$/,
      expected: "a region such as eu-central-1",
    }).exactOptional(),
    apiKey: secretSource.meta({ description: "The key; always from a Secret of this namespace." }).exactOptional(),
    headers: namedList(header, 32, "Headers sent with every request.").exactOptional(),
    requireListedModel: flag(
      "Whether the preflight wants the model in GET {baseUrl}/models. Default true.",
    ).exactOptional(),
    forwardInboundAuth: flag("Whether the caller's bearer token is its key (BRR-3). Default false.").exactOptional(),
    auth: ownAuth.exactOptional(),
  }),
  {
    cel: `has(self.kind) || self.name in [${quoted(providerKinds)}]`,
    message: `kind is needed, because the name is not one of ${providerKinds.join(", ")}`,
    holds: (entry) => providerKind(entry) !== undefined,
  },
  {
    cel: "(has(self.kind) ? self.kind : self.name) != 'openai-compatible' || has(self.baseUrl)",
    message: "baseUrl is needed for openai-compatible",
    holds: (entry) => providerKind(entry) !== "openai-compatible" || entry.baseUrl !== undefined,
  },
  {
    cel: "!has(self.region) || (has(self.kind) ? self.kind : self.name) == 'bedrock'",
    message: "region is for bedrock only",
    holds: (entry) => entry.region === undefined || providerKind(entry) === "bedrock",
  },
  {
    cel: `!(self.name in [${quoted(builtInProviders)}])`,
    message: `${builtInProviders.join(", ")} are built in and cannot be redefined`,
    holds: (entry) => !builtInProviders.some((name) => name === entry.name),
  },
  oneToken("provider"),
  {
    cel: "!has(self.auth) || !has(self.apiKey)",
    message: "at most one of auth and apiKey is allowed",
    holds: (entry) => entry.auth === undefined || entry.apiKey === undefined,
  },
);

const server = withRules(
  object("A downstream MCP server that agents can use.", {
    name: serverName("Name that agents refer to, and that progress messages show."),
    url: url("URL of its Streamable HTTP endpoint."),
    headers: namedList(
      header,
      32,
      "Headers of every request; an Authorization here wins over forwarding.",
    ).exactOptional(),
    forwardInboundAuth: flag("Whether it receives the caller's bearer token (BRR-1). Default false.").exactOptional(),
    auth: ownAuth.exactOptional(),
    instructions: flag(
      "Whether its own instructions (MCP), as quoted text of at most 4 KiB, reach the system prompt. Default true.",
    ).exactOptional(),
    timeout: duration("24h", "Deadline of one tool call, restarted by its progress. Default 60s.").exactOptional(),
    prefix: text(63, "How its tools are named to the model. Default: the name.", {
      min: 1,
      pattern: /^[a-zA-Z0-9][-a-zA-Z0-9_]*$/,
      expected: "letters, digits, hyphens and underscores, starting with a letter or digit",
    }).exactOptional(),
  }),
  oneToken("server"),
);

const externalUrl = withRules(
  object("How clients outside reach the agents. Absent: Service DNS names.", {
    host: text(253, "Host; an agent is then at http://{host}:{port}/mcp with its spec.port.", {
      min: 1,
      pattern: /^[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$/,
      expected: "a host name or IPv4 address without scheme and port",
    }).exactOptional(),
    template: text(2048, "URL with the placeholders {instance} {agent} {namespace} {port}, ending in /mcp.", {
      min: 1,
      pattern: /^https?:\/\/([!-z|~]|\{(instance|agent|namespace|port)\})+\/mcp$/,
      expected: "an http:// or https:// URL that ends in /mcp, with no other placeholders",
    }).exactOptional(),
  }),
  {
    cel: "has(self.host) != has(self.template)",
    message: "exactly one of host and template is needed",
    holds: (entry) => (entry.host === undefined) !== (entry.template === undefined),
  },
);

const hostEntry = text(253, "A host name, without port.", {
  min: 1,
  pattern: /^(\[[0-9a-fA-F:]+\]|[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?)$/,
  expected: "a host name or IP address without port",
});
const originEntry = text(300, "An origin.", {
  min: 1,
  pattern: /^https?:\/\/[^ \t\r\n/]+$/,
  expected: "an origin such as https://chat.example.com",
});

const registry = withRules(
  object("The registry of this instance.", {
    replicas: integer(0, 16, "Pods of the registry. Default 1.").exactOptional(),
    service: object("Its Service.", {
      type: choice(
        ["ClusterIP", "NodePort", "LoadBalancer"],
        "Type of the Service. Default ClusterIP.",
      ).exactOptional(),
      port: integer(1, 65_535, "Port of the Service. Default 24200.").exactOptional(),
    }).exactOptional(),
    metrics: object("How agents' metrics are collected.", {
      mode: choice(
        ["aggregate", "podMonitor"],
        "aggregate: the registry serves all agents' series; podMonitor: Prometheus scrapes the pods. Default aggregate.",
      ).exactOptional(),
      interval: duration("1h", "Time between two scrapes. Default 15s.").exactOptional(),
      timeout: duration("1m", "Deadline of one scrape. Default 2s.").exactOptional(),
    }).exactOptional(),
  }),
  {
    cel: "!has(self.replicas) || self.replicas <= 1 || (has(self.metrics) && has(self.metrics.mode) && self.metrics.mode == 'podMonitor')",
    message: "more than one replica needs metrics.mode podMonitor, otherwise every series is counted twice",
    holds: (entry) => (entry.replicas ?? 1) <= 1 || entry.metrics?.mode === "podMonitor",
  },
);

const image = (description: string) =>
  text(512, description, {
    pattern: /^([a-zA-Z0-9][-a-zA-Z0-9._/:]*(@sha256:[0-9a-f]{64})?)?$/,
    expected: "an image reference, or empty",
  });

const instanceSpec = object("What the agents of this instance share.", {
  version: text(64, "Semantic version, published in catalogue entries.", {
    min: 1,
    pattern: /^[0-9]+\.[0-9]+\.[0-9]+(-[-0-9A-Za-z.]+)?(\+[-0-9A-Za-z.]+)?$/,
    expected: "a semantic version such as 1.0.0",
  }).default("1.0.0"),
  registryNamespace: text(
    maxCatalogueNameChars - 1 - maxNameChars,
    "Reverse domain before the slash of catalogue names.",
    {
      min: 1,
      pattern: /^[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$/,
      expected: "a reverse domain such as com.example.team",
    },
  ),
  title: text(100, "Title for people.").exactOptional(),
  externalUrl: externalUrl.exactOptional(),
  defaultModel: model("Model of agents that name none, as provider.model-name.").exactOptional(),
  modelCapabilities: modelCapabilities.meta({ description: "What defaultModel can do." }).exactOptional(),
  providers: namedList(provider, 32, "Places that serve models.").exactOptional(),
  servers: namedList(server, 128, "Downstream MCP servers.").exactOptional(),
  agentDefaults: agentDefaults.exactOptional(),
  http: object("HTTP rules for the registry and every agent.", {
    allowedHosts: setOf(
      hostEntry,
      64,
      "Host names added to Service names, pod IP, loopback and externalUrl's.",
    ).exactOptional(),
    allowedOrigins: setOf(originEntry, 64, "Origins of browsers that may call. Default none.").exactOptional(),
    bodyLimit: quantity(
      "Largest request body on /mcp. Default 32Mi, or a sixteenth of a smaller memory limit; a limit takes no more.",
    ).exactOptional(),
  }).exactOptional(),
  auth: object("Inbound authentication. Absent: none.", {
    jwt: withRules(
      object("JSON Web Tokens that callers must present.", {
        issuer: url("Expected issuer."),
        audiences: setOf(
          text(253, "An audience.", { min: 1 }),
          16,
          "Expected audiences; one of them must be the token's.",
        ),
        jwksUrl: optionalUrl("Where the issuer's keys are; empty: from its metadata.").exactOptional(),
      }),
      {
        cel: "self.audiences.size() > 0",
        message: "audiences must name at least one",
        holds: (entry) => entry.audiences.length > 0,
      },
    ).exactOptional(),
  }).exactOptional(),
  registry: registry.exactOptional(),
  gateway: gateway.exactOptional(),
  caBundle: configMapSource
    .meta({ description: "Certificates added to the system's roots for outgoing TLS." })
    .exactOptional(),
  proxy: object("Proxy for outgoing HTTP.", {
    https: optionalUrl("Proxy for https URLs.").exactOptional(),
    http: optionalUrl("Proxy for http URLs.").exactOptional(),
    noProxy: setOf(
      text(253, "A host or suffix.", { min: 1 }),
      64,
      "Hosts and suffixes that are reached directly.",
    ).exactOptional(),
  }).exactOptional(),
  telemetry: object("OpenTelemetry.", {
    otlpEndpoint: optionalUrl("OTLP/HTTP endpoint for traces and metrics of agents; empty: none.").exactOptional(),
  }).exactOptional(),
  logLevel: choice(
    ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"],
    "Log level of registry and agents. Default INFO.",
  ).exactOptional(),
  imagePullSecrets: namedList(
    nameRef("A pull secret of this namespace."),
    8,
    "Secrets for pulling images.",
  ).exactOptional(),
  images: object("Images other than the operator's release.", {
    agent: image("Image of agents.").exactOptional(),
    registry: image("Image of the registry.").exactOptional(),
    gateway: image("Image of the gateway.").exactOptional(),
  }).exactOptional(),
});

const instanceStatus = z
  .strictObject({
    observedGeneration: observedGeneration.exactOptional(),
    specChangedAt: timestamp.meta({ description: "When the spec last changed." }).exactOptional(),
    specDigest: text(64, "Digest of the spec as it was then.").exactOptional(),
    conditions: conditionList.exactOptional(),
    agents: object("Its agents.", {
      total: integer(0, 1_000_000, "All of them."),
      ready: integer(0, 1_000_000, "Those that are Ready."),
    }).exactOptional(),
    registryUrl: text(2048, "Where the registry is reached.").exactOptional(),
  })
  .meta({ description: "What the operator observed." });

export const rfc1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

export const pallasInstance = {
  kind: "PallasInstance",
  plural: "pallasinstances",
  singular: "pallasinstance",
  shortNames: ["pi"],
  description: "A group of agents with one registry, its models and its downstream servers.",
  spec: instanceSpec,
  status: instanceStatus,
  nameRules: [
    {
      cel: `self.metadata.name.size() <= ${maxNameChars} && self.metadata.name.matches('${rfc1035.source}')`,
      message: `metadata.name must be at most ${maxNameChars} lower-case letters, digits and hyphens, starting with a letter`,
      holds: (name) => name.length <= maxNameChars && rfc1035.test(name),
    },
  ],
  columns: [
    {
      name: "Ready",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: "Whether it works.",
    },
    { name: "Agents", type: "integer", jsonPath: ".status.agents.total", description: "Its agents." },
    { name: "Agents Ready", type: "integer", jsonPath: ".status.agents.ready", description: "Those that are Ready." },
    {
      name: "Registry",
      type: "string",
      jsonPath: ".status.registryUrl",
      description: "Where the registry is.",
      priority: 1,
    },
    {
      name: "Message",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      description: "Why it is or is not Ready.",
      priority: 1,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since its creation." },
  ],
} satisfies ResourceDefinition;

export const instanceManifest = manifestSchema(pallasInstance);
export type PallasInstance = z.output<typeof instanceManifest>;
export type InstanceSpec = PallasInstance["spec"];
export type InstanceStatus = NonNullable<PallasInstance["status"]>;
