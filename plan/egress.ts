// Where an agent or gateway must be able to connect to, told from the hosts in what it uses (SEC-3). Names are not resolved:
// a policy is made of namespaces, addresses and ports, and a name says at least one of these.
import type { GatewayConfig } from "../crds/gateway-config.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { RunConfig } from "../crds/run-config.ts";
import type { PallasServer } from "../crds/server.ts";
import { bareHost, formatIpv4, isRefusedHost, parseAddress } from "./addresses.ts";
import { isBuiltIn } from "./models.ts";
import { isCalledDirectly } from "./server-address.ts";

export type Destination =
  | { kind: "namespace"; namespace: string }
  | { kind: "address"; cidr: string; port: number }
  | { kind: "outside"; port: number };

const httpsPort = 443;
const schemePorts: Readonly<Record<string, number>> = { "http:": 80, "https:": httpsPort };
const namespacePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A URL of a host that stands by itself. */
export const hostUrl = (host: string, port = httpsPort): string =>
  `https://${host.includes(":") ? `[${host}]` : host}:${port}`;

/**
 * What a URL of a pod in `namespace` needs. A single label is a Service beside it; `a.b` may be a Service of another
 * namespace or a host outside, so that both are let through; nothing for itself or where nobody may go.
 */
export function destinationsOfUrl(text: string, namespace: string): Destination[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const port = url.port === "" ? (schemePorts[url.protocol] ?? httpsPort) : Number(url.port);
  const host = bareHost(url);
  if (host === "localhost" || host === "" || isRefusedHost(url)) return [];
  const address = parseAddress(host);
  if (address) {
    const cidr = address.family === 4 ? `${formatIpv4(address.value)}/32` : `${host}/128`;
    return [{ kind: "address", cidr, port }];
  }

  const labels = host.split(".");
  const service = labels.indexOf("svc", 2);
  const domain = service === -1 ? undefined : labels.slice(service + 1).join(".");
  const inNamespace = (name = ""): Destination[] =>
    namespacePattern.test(name) ? [{ kind: "namespace", namespace: name }] : [];
  const outside: Destination = { kind: "outside", port };
  if (labels.length === 1) return inNamespace(namespace);
  if (domain === "" || domain === "cluster.local") return inNamespace(labels[service - 1]);
  // A cluster may have another domain than cluster.local.
  if (domain !== undefined) return [...inNamespace(labels[service - 1]), outside];
  return labels.length === 2 ? [...inNamespace(labels[1]), outside] : [outside];
}

const sortKey = (destination: Destination): string =>
  destination.kind === "namespace"
    ? `1 ${destination.namespace}`
    : `${destination.kind === "address" ? `2 ${destination.cidr}` : "3"} ${String(destination.port).padStart(5, "0")}`;

/** Each once and in one order. */
function inOrder(found: readonly Destination[]): Destination[] {
  const byKey = new Map(found.map((destination) => [sortKey(destination), destination]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, destination]) => destination);
}

/**
 * What a gateway connects to beside name servers, the API server, its registry, its agents and bridges: whose keys it checks
 * by, where it browses, its embeddings, and tool servers that are called directly.
 */
export function gatewayDestinations(
  { instance: { namespace }, jwt, browse, embeddings }: GatewayConfig,
  { spec }: PallasInstance,
  servers: Iterable<PallasServer>,
): Destination[] {
  const direct = [...servers].flatMap((server) => (isCalledDirectly(server.spec) ? [server.spec.remote?.url] : []));
  const urls = [
    jwt?.jwksUrl ?? jwt?.issuer,
    spec.proxy?.https,
    spec.proxy?.http,
    ...(browse?.sources ?? []).map(({ url }) => url),
    embeddings?.kind === "openai" ? embeddings.baseUrl : undefined,
    ...direct,
  ];
  return inOrder(urls.flatMap((url) => (url === undefined ? [] : destinationsOfUrl(url, namespace))));
}

/**
 * Everything an agent connects to beside name servers, its gateway, other agents and bridges, each once and in one order.
 * @param bridgeUrls of servers whose pods its policy names by their labels, as the gateway's, which opens no more than these
 */
export function destinationsOf(
  config: RunConfig,
  { spec }: PallasInstance,
  bridgeUrls: readonly string[] = [],
): Destination[] {
  const { namespace } = config.agent;
  const urls = [
    ...config.servers.flatMap(({ url, registry }) => (registry === true || bridgeUrls.includes(url) ? [] : [url])),
    ...config.providers.map(({ baseUrl }) => baseUrl),
    ...[...config.servers, ...config.providers].map(({ oauth }) => oauth?.tokenUrl),
    // Keys that are found by metadata may be on another host, as a rule one outside as well.
    config.auth?.jwksUrl ?? config.auth?.issuer,
    config.telemetry?.otlpEndpoint,
    spec.proxy?.https,
    spec.proxy?.http,
  ];
  const found = urls.flatMap((url) => (url === undefined ? [] : destinationsOfUrl(url, namespace)));
  // The vendor's own address, which only its client library knows.
  const vendors = config.providers.filter(({ kind, baseUrl }) => baseUrl === undefined && !isBuiltIn(kind));
  if (vendors.length > 0) found.push({ kind: "outside", port: httpsPort });
  return inOrder(found);
}

/** Where npx and uvx are told to look for packages, in place of the public registries. */
const registryVariables = /^(npm_config_registry|uv_(default_index|index_url|index|extra_index_url))$/i;

/** Everything the pod of a tool server connects to beside name servers, each once and in one order. */
export function serverDestinations(
  { metadata, spec }: PallasServer,
  { spec: instance }: PallasInstance,
): Destination[] {
  const registries = (spec.env ?? []).flatMap(({ name, value }) => (registryVariables.test(name) ? [value] : []));
  const urls = [
    ...(spec.egress ?? []).map(({ host, port }) => hostUrl(host, port)),
    spec.remote?.url,
    ...(spec.package === undefined ? [] : registries),
    instance.proxy?.https,
    instance.proxy?.http,
  ];
  const found = urls.flatMap((url) => (url === undefined ? [] : destinationsOfUrl(url, metadata.namespace)));
  // The public registry of its kind, where nothing else is said.
  if (spec.package !== undefined && registries.length === 0) found.push({ kind: "outside", port: httpsPort });
  return inOrder(found);
}
