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
  RunOauth,
  RunProvider,
  RunServer,
  RunSubAgent,
  TokenSigner,
} from "../crds/run-config.ts";
import { parseExtra } from "../crds/run-config.ts";
import type { PallasServer } from "../crds/server.ts";
import { renderIdentity } from "./catalogue.ts";
import { isBuiltIn, resolveModels } from "./models.ts";
import { isRegistryEntry, renderRegistryEntry } from "./registry-entry.ts";
import type { Neighbourhood } from "./resolve.ts";
import { findPolicyInForce } from "./policy-in-force.ts";
import { approvalSettings, effectivePolicy, type EffectiveSettings } from "./settings.ts";
import {
  addressOf,
  isCalledDirectly,
  needsSecrets,
  offeredTools,
  renderValues,
  toolTimeoutMs,
} from "./server-address.ts";
import { hostOf, publishedAgentUrl, type PeerUrls } from "./urls.ts";

type Server = NonNullable<InstanceSpec["servers"]>[number];
type UsedServer = NonNullable<PallasAgent["spec"]["servers"]>[number];
type OwnAuth = NonNullable<Server["auth"]>;

const neutralInstruction = "You are a helpful assistant. Use your tools where they help, and say so when you cannot.";

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

function renderInlineServer(server: Server, { name, tools }: UsedServer, { spec }: PallasInstance): RunServer {
  const { forwardInboundAuth = false } = server;
  // What is listed to a caller's token may be for that caller alone.
  const isReported = spec.gateway !== undefined && needsSecrets(server) && !forwardInboundAuth;
  return {
    name,
    url: server.url,
    prefix: server.prefix ?? name,
    headers: renderValues(server.headers),
    ...renderOauth(server.auth),
    forwardInboundAuth,
    instructions: server.instructions ?? true,
    timeoutMs: toolTimeoutMs(server),
    allow: tools?.allow ?? [],
    deny: tools?.deny ?? [],
    ...(isReported ? { reported: true as const } : {}),
  };
}

/** Only of what its users run on, so that other edits of it roll no pods (OPR-2). */
function renderServer({ metadata, spec }: PallasServer, { name, tools }: UsedServer, urls: PeerUrls): RunServer {
  const { url, headers, forwardInboundAuth } = addressOf(spec, urls.server(metadata.name));
  // A bridge sees to it itself.
  const isFiltered = isCalledDirectly(spec) && spec.tools !== undefined;
  return {
    name,
    url,
    prefix: name,
    headers: [...headers],
    forwardInboundAuth,
    instructions: true,
    timeoutMs: toolTimeoutMs(spec),
    allow: tools?.allow ?? [],
    deny: tools?.deny ?? [],
    ...(isFiltered ? { offered: offeredTools(spec) } : {}),
  };
}

const renderServers = (agent: PallasAgent, around: Neighbourhood, urls: PeerUrls): RunServer[] =>
  (agent.spec.servers ?? []).flatMap((used): RunServer[] => {
    const { instance, servers } = around;
    if (isRegistryEntry(used.name, around)) return [renderRegistryEntry(instance, urls)];
    const inline = instance.spec.servers?.find(({ name }) => name === used.name);
    if (inline) return [renderInlineServer(inline, used, instance)];
    const resource = servers?.sound.get(used.name);
    return resource ? [renderServer(resource, used, urls)] : [];
  });

function renderSubAgents(agent: PallasAgent, { agents }: Neighbourhood, urls: PeerUrls): RunSubAgent[] {
  return (agent.spec.agents ?? []).map(({ name, forwardInboundAuth = false }) => {
    const { title = titleFromName(name), description } = agents.get(name)?.spec ?? {};
    return {
      name,
      url: urls.agent(name),
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

/** The run configuration of an agent without problems. */
export function renderRunConfig(
  agent: PallasAgent,
  around: Neighbourhood,
  { scope, request, limits, history, drainTimeoutMs, bodyLimitBytes }: EffectiveSettings,
  urls: PeerUrls,
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
    servers: renderServers(agent, around, urls),
    agents: renderSubAgents(agent, around, urls),
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
    ...(agent.spec.askUser === true && { askUser: true as const }),
    ...(effectivePolicy(agent, instance) !== undefined && { policy: true as const }),
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

/** Whom a policy's ask goes to: where there is nobody, it is denied. */
function renderPolicy(
  agent: PallasAgent,
  { instance, policies }: Neighbourhood,
  urls: PeerUrls,
): Pick<LiveConfig, "policy" | "approvals"> {
  const name = effectivePolicy(agent, instance);
  const { timeoutMs } = approvalSettings(instance);
  return {
    ...(name !== undefined && { policy: policies?.get(name) ?? findPolicyInForce(undefined, name) }),
    ...(instance.spec.gateway !== undefined &&
      name !== undefined && { approvals: { url: urls.gateway(instance), timeoutMs } }),
  };
}

/** What the agent may learn while it runs. */
export const renderLiveConfig = (
  agent: PallasAgent,
  around: Neighbourhood,
  urls: PeerUrls,
  signer?: TokenSigner,
): LiveConfig => ({
  schema: 1,
  severalPods: agent.spec.replicas > 1,
  card: renderCard(agent, around.instance, publishedAgentUrl(agent, around.instance)),
  ...renderGateway(around.instance, signer),
  ...renderPolicy(agent, around, urls),
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
