// From a resolved agent to the one file its runtime reads. Pure: the same resources give the same bytes, so that a
// hash of them says whether pods must roll (OPR-2).
import { createHash } from "node:crypto";
import type { PallasAgent } from "../crds/agent.ts";
import type { BridgeConfig } from "../crds/bridge-config.ts";
import { defined } from "../crds/defined.ts";
import type { GatewayConfig } from "../crds/gateway-config.ts";
import type { InstanceSpec, PallasInstance } from "../crds/instance.ts";
import { providerKind } from "../crds/instance.ts";
import { accountSubject, agentsAudience, gatewayName, titleFromName } from "../crds/names.ts";
import type {
  LiveConfig,
  RunCard,
  RunConfig,
  RunHeader,
  RunOauth,
  RunProvider,
  RunServer,
  RunSubAgent,
  TokenSigner,
} from "../crds/run-config.ts";
import { parseExtra } from "../crds/run-config.ts";
import { parseDurationMs } from "../crds/units.ts";
import { renderIdentity } from "./catalogue.ts";
import { isBuiltIn, resolveModels } from "./models.ts";
import type { Neighbourhood } from "./resolve.ts";
import type { EffectiveSettings } from "./settings.ts";
import { hostOf, publishedAgentUrl } from "./urls.ts";

type Server = NonNullable<InstanceSpec["servers"]>[number];
type Headers = NonNullable<Server["headers"]>;
type OwnAuth = NonNullable<Server["auth"]>;

export const defaultToolTimeout = "60s";
const neutralInstruction = "You are a helpful assistant. Use your tools where they help, and say so when you cannot.";

/** Headers, or variables of a process: of the same form. */
export const renderValues = (headers: Headers | undefined): RunHeader[] =>
  (headers ?? []).map(({ name, value, valueFrom }) =>
    valueFrom === undefined ? { name, value: value ?? "" } : { name, secret: valueFrom.secretKeyRef },
  );

/** In the order of fields that is always the same: the agent finds sources of tokens by it. */
function renderOauth(auth: OwnAuth | undefined): { oauth?: RunOauth } {
  if (auth === undefined) return {};
  const { tokenUrl, clientId, clientSecret, clientAuth = "basic", scopes = [], audience, resource } = auth.oauth;
  return {
    oauth: {
      tokenUrl,
      clientId,
      clientSecret: clientSecret.secretKeyRef,
      clientAuth,
      scopes,
      ...defined({ audience, resource }),
    },
  };
}

function renderInstruction({ spec }: PallasAgent): RunConfig["instruction"] {
  if (spec.instructionFrom) return { configMap: spec.instructionFrom.configMapKeyRef };
  return { text: spec.instruction ?? neutralInstruction };
}

/** Only the providers of the agent's own models: an edit of another one must not roll its pods (OPR-2). */
function renderProviders(used: ReadonlySet<string>, instance: PallasInstance): RunProvider[] {
  const declared = (instance.spec.providers ?? [])
    .filter(({ name }) => used.has(name))
    .flatMap((provider): RunProvider[] => {
      const kind = providerKind(provider);
      if (kind === undefined) return [];
      return [
        {
          name: provider.name,
          kind,
          ...defined({ baseUrl: provider.baseUrl, region: provider.region }),
          ...(provider.apiKey === undefined ? {} : { apiKey: provider.apiKey.secretKeyRef }),
          headers: renderValues(provider.headers),
          ...renderOauth(provider.auth),
          requireListedModel: provider.requireListedModel ?? true,
          forwardInboundAuth: provider.forwardInboundAuth ?? false,
        },
      ];
    });
  const builtIn = [...used].filter(isBuiltIn).map((name): RunProvider => ({
    name,
    kind: name,
    headers: [],
    requireListedModel: false,
    forwardInboundAuth: false,
  }));
  return [...declared, ...builtIn];
}

function renderServers(agent: PallasAgent, instance: PallasInstance): RunServer[] {
  return (agent.spec.servers ?? []).flatMap(({ name, tools }): RunServer[] => {
    const server = instance.spec.servers?.find((candidate) => candidate.name === name);
    if (!server) return [];
    return [
      {
        name,
        url: server.url,
        prefix: server.prefix ?? name,
        headers: renderValues(server.headers),
        ...renderOauth(server.auth),
        forwardInboundAuth: server.forwardInboundAuth ?? false,
        instructions: server.instructions ?? true,
        timeoutMs: parseDurationMs(server.timeout ?? defaultToolTimeout),
        allow: tools?.allow ?? [],
        deny: tools?.deny ?? [],
      },
    ];
  });
}

function renderSubAgents(
  agent: PallasAgent,
  { agents }: Neighbourhood,
  agentUrl: (name: string) => string,
): RunSubAgent[] {
  return (agent.spec.agents ?? []).map(({ name, forwardInboundAuth = false }) => {
    const { title = titleFromName(name), description } = agents.get(name)?.spec ?? {};
    return {
      name,
      url: agentUrl(name),
      description: description ?? `Asks the agent ${title}.`,
      forwardInboundAuth,
    };
  });
}

/** Tokens name a resource by its published URL. */
function renderAuth(instance: PallasInstance, resource: string): Pick<RunConfig, "auth"> {
  const jwt = instance.spec.auth?.jwt;
  if (jwt === undefined) return {};
  const { issuer, audiences, jwksUrl = "" } = jwt;
  return { auth: { issuer, audiences, ...(jwksUrl === "" ? {} : { jwksUrl }), resource } };
}

const renderCard = (agent: PallasAgent, instance: PallasInstance, url: string): RunCard => ({
  ...renderIdentity(agent, instance),
  ...(instance.spec.externalUrl === undefined ? {} : { url }),
});

function renderRequest({
  stop,
  parallelToolCalls,
  maxSteps,
  temperature,
  topP,
  topK,
  maxTokens,
  effort,
  extra,
}: EffectiveSettings["request"]): RunConfig["request"] {
  return {
    ...defined({ temperature, topP, topK, maxTokens, effort }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra: parseExtra(extra) }),
    stop: [...stop],
    parallelToolCalls,
    maxSteps,
  };
}

/** An empty endpoint means none, and must not roll pods. */
function renderTelemetry({ spec }: PallasInstance): Pick<RunConfig, "telemetry"> {
  const { otlpEndpoint = "" } = spec.telemetry ?? {};
  return otlpEndpoint === "" ? {} : { telemetry: { otlpEndpoint } };
}

/**
 * The run configuration of an agent without problems.
 * @param agentUrl where another agent of the instance is reached from this one's process
 */
export function renderRunConfig(
  agent: PallasAgent,
  around: Neighbourhood,
  { scope, request, limits, history, drainTimeoutMs, bodyLimitBytes }: EffectiveSettings,
  agentUrl: (name: string) => string,
): RunConfig {
  const { instance } = around;
  const { name, namespace } = agent.metadata;
  const models = resolveModels(agent, instance);
  const url = publishedAgentUrl(agent, instance);
  const host = instance.spec.externalUrl === undefined ? undefined : hostOf(url);
  const title = agent.spec.title ?? titleFromName(name);
  return {
    schema: 1,
    agent: {
      name,
      namespace,
      instance: instance.metadata.name,
      title,
      description: agent.spec.description ?? title,
      version: instance.spec.version,
    },
    instruction: renderInstruction(agent),
    models,
    providers: renderProviders(new Set(models.map(({ provider }) => provider)), instance),
    request: renderRequest(request),
    servers: renderServers(agent, instance),
    agents: renderSubAgents(agent, around, agentUrl),
    ...defined({ output: agent.spec.output }),
    scope,
    // Nothing of how many pods there are, which would roll them: only this scope can have several.
    sessions: scope !== "request",
    emitLoopProgress: agent.spec.emitLoopProgress,
    limits,
    history,
    drainTimeoutMs,
    http: {
      allowedHosts: [...(host === undefined ? [] : [host]), ...(instance.spec.http?.allowedHosts ?? [])],
      allowedOrigins: instance.spec.http?.allowedOrigins ?? [],
      bodyLimitBytes,
    },
    ...renderAuth(instance, url),
    ...(instance.spec.gateway === undefined ? {} : { gateway: true as const }),
    ...renderTelemetry(instance),
    logLevel: instance.spec.logLevel ?? "INFO",
  };
}

/** Whom the agent lets in on its admin port; nobody where there is no gateway, or where nobody knows who signs its tokens. */
function renderGateway(
  { metadata, spec }: PallasInstance,
  signer: TokenSigner | undefined,
): Pick<LiveConfig, "gateway"> {
  if (spec.gateway === undefined || signer === undefined) return {};
  const { name, namespace } = metadata;
  const audience = agentsAudience(name, namespace);
  const subject = accountSubject(namespace, gatewayName(name));
  return { gateway: { issuer: signer.issuer, audience, subject, keys: signer.keys } };
}

/** What the agent may learn while it runs. */
export const renderLiveConfig = (agent: PallasAgent, instance: PallasInstance, signer?: TokenSigner): LiveConfig => ({
  schema: 1,
  severalPods: agent.spec.replicas > 1,
  card: renderCard(agent, instance, publishedAgentUrl(agent, instance)),
  ...renderGateway(instance, signer),
});

/** The bytes that are written. */
export const serialiseConfig = (config: RunConfig | LiveConfig | GatewayConfig | BridgeConfig): string =>
  `${JSON.stringify(config, null, 2)}\n`;

/** A change of it rolls the pods. */
export const hashRunConfig = (config: RunConfig | GatewayConfig | BridgeConfig): string =>
  createHash("sha256").update(serialiseConfig(config)).digest("hex").slice(0, 16);

/** Every Secret key and ConfigMap key the agent's files must hold, for projected volumes and local files. */
export function referencedFiles(config: RunConfig) {
  const addressees = [...config.providers, ...config.servers];
  const headers = addressees.flatMap((entry) => entry.headers);
  const secrets = [
    ...config.providers.flatMap(({ apiKey }) => (apiKey ? [apiKey] : [])),
    ...addressees.flatMap(({ oauth }) => (oauth ? [oauth.clientSecret] : [])),
    ...headers.flatMap((header) => ("secret" in header ? [header.secret] : [])),
  ];
  const texts = "configMap" in config.instruction ? [config.instruction.configMap] : [];
  return { secrets, texts };
}
