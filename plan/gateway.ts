// The gateway of an instance that has one and is without faults, and everything that is derived from it, each once: its
// settings with nothing left to default, and the one file that it reads. Pure: the same resources give the same bytes.
import { defined } from "../crds/defined.ts";
import type { GatewayAccess } from "../crds/gateway.ts";
import type { GatewayAccessRule, GatewayConfig } from "../crds/gateway-config.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { gatewayAudience, ports } from "../crds/names.ts";
import type { SecretKey } from "../crds/run-config.ts";
import { hashRunConfig } from "./run-config.ts";
import {
  approvalSettings,
  builtInBodyLimit,
  effectiveReadBytes,
  effectiveResources,
  sharedDrainTimeoutMs,
} from "./settings.ts";
import { externalHost } from "./urls.ts";

export interface ResolvedGateway {
  readonly instance: PallasInstance;
  readonly replicas: number;
  readonly service: { readonly type: "ClusterIP" | "NodePort" | "LoadBalancer"; readonly port: number };
  readonly resources: ReturnType<typeof effectiveResources>;
  readonly config: GatewayConfig;
  /** Of the configuration: what its pods run on is named by it. */
  readonly hash: string;
}

type Gateway = NonNullable<PallasInstance["spec"]["gateway"]>;

const everyName = ["*"];

function renderWho({ serviceAccount, claim, tokenFrom }: GatewayAccess): GatewayAccessRule["who"] {
  if (serviceAccount) return { serviceAccount: serviceAccount.name };
  if (claim) return { claim };
  if (tokenFrom) return { tokens: tokenFrom.secretKeyRef };
  throw new Error("expected an entry of access that says who it is for, found none: its schema asks for one");
}

function renderAs({ role, agent, agents = everyName, servers = everyName }: GatewayAccess): GatewayAccessRule["as"] {
  if (role !== undefined) return { role, agents, servers };
  if (agent !== undefined) return { agent };
  throw new Error("expected an entry of access with a role or an agent, found neither: its schema asks for one");
}

function renderJwt({ spec: { auth } }: PallasInstance): Pick<GatewayConfig, "jwt"> {
  if (auth?.jwt === undefined) return {};
  const { issuer, audiences, jwksUrl } = auth.jwt;
  return { jwt: { issuer, audiences, ...defined({ jwksUrl: jwksUrl || undefined }) } };
}

function renderEmbeddings({ embeddings }: Gateway): Pick<GatewayConfig, "embeddings"> {
  if (embeddings === undefined || embeddings.kind === "static") return {};
  if (embeddings.kind === "none") return { embeddings: { kind: "none" } };
  const { kind, baseUrl, model, apiKey } = embeddings;
  if (baseUrl === undefined || model === undefined) {
    throw new Error("expected baseUrl and model of embeddings, found one missing: their schema asks for both");
  }
  return { embeddings: { kind, baseUrl, model, ...defined({ apiKey: apiKey?.secretKeyRef }) } };
}

/** What tools are found by, each part only where it is set. */
function renderDiscovery(gateway: Gateway): Pick<GatewayConfig, "browse" | "embeddings" | "pinnedTools"> {
  const { browse: { sources = [] } = {}, pinnedTools = [] } = gateway;
  return {
    ...(sources.length > 0 && { browse: { sources } }),
    ...renderEmbeddings(gateway),
    ...(pinnedTools.length > 0 && { pinnedTools }),
  };
}

/** Where people sign in at the dashboard; nothing where that is with a token. */
function renderUi({ ui }: Gateway): Pick<GatewayConfig, "ui"> {
  if (ui?.oidc === undefined) return {};
  const { clientId, scopes = [] } = ui.oidc;
  return { ui: { oidc: { clientId, scopes: [...new Set(["openid", ...scopes])] } } };
}

/** The pods that it is to have; undefined where the instance has no gateway. */
export const gatewayReplicas = ({ spec: { gateway } }: PallasInstance): number | undefined =>
  gateway && (gateway.replicas ?? 1);

/** Undefined where the instance has no gateway. */
export function resolveGateway(instance: PallasInstance): ResolvedGateway | undefined {
  const { metadata, spec } = instance;
  const replicas = gatewayReplicas(instance);
  if (spec.gateway === undefined || replicas === undefined) return undefined;
  const { service, management = "approve", access = [], directory, log } = spec.gateway;
  const { name, namespace } = metadata;
  const resources = effectiveResources(undefined, spec.gateway.resources);
  const host = externalHost(instance);
  const config: GatewayConfig = {
    schema: 1,
    instance: { name, namespace, version: spec.version },
    audience: gatewayAudience(name, namespace),
    management,
    access: access.map((entry) => ({ who: renderWho(entry), as: renderAs(entry) })),
    ...renderJwt(instance),
    ...renderUi(spec.gateway),
    ...(directory?.public === true && { directory: { public: true } }),
    ...(log?.arguments === "redacted" && { log: { arguments: "redacted" } }),
    ...renderDiscovery(spec.gateway),
    approvals: approvalSettings(instance),
    ...defined({ policyRef: spec.gateway.policyRef?.name }),
    ports: { http: ports.gateway, admin: ports.gatewayAdmin },
    http: {
      allowedHosts: [...(host === undefined ? [] : [host]), ...(spec.http?.allowedHosts ?? [])],
      allowedOrigins: spec.http?.allowedOrigins ?? [],
      // What is written is for agents too, which may have more memory.
      bodyLimitBytes: effectiveReadBytes(undefined, String(spec.http?.bodyLimit ?? builtInBodyLimit), resources),
    },
    // What goes through it takes as long as the agents' calls.
    drainTimeoutMs: sharedDrainTimeoutMs(instance),
    logLevel: spec.logLevel ?? "INFO",
  };
  const { type = "ClusterIP", port = ports.gateway } = service ?? {};
  return { instance, replicas, service: { type, port }, resources, config, hash: hashRunConfig(config) };
}

/** Keys of Secrets that its files are made of, each once: tables of tokens, and the key of its embeddings. */
export function gatewayFiles({ access, embeddings }: GatewayConfig): SecretKey[] {
  const keys = access.flatMap(({ who }) => ("tokens" in who ? [who.tokens] : []));
  const apiKey = embeddings?.kind === "openai" ? embeddings.apiKey : undefined;
  const all = [...keys, ...(apiKey === undefined ? [] : [apiKey])];
  return [...new Map(all.map((entry) => [`${entry.name}/${entry.key}`, entry])).values()];
}
