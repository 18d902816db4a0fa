// Where agents, tool servers and registries are reached: from inside the cluster by Service name, from outside as the instance
// declares (CAT-4). Always ending in /mcp for agents.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { gatewayName, ports, registryMcpPath, registryName, serverChildren, serviceUrl } from "../crds/names.ts";

/** Inside the cluster, by Service DNS name. */
export const clusterAgentUrl = (agent: string, namespace: string): string =>
  `${serviceUrl(agent, namespace, ports.agentMcp)}/mcp`;

/** Of the bridge before a PallasServer, inside the cluster. */
export const clusterServerUrl = (server: string, namespace: string): string =>
  `${serviceUrl(serverChildren(server).service, namespace, ports.bridge)}/mcp`;

/** Where others of an instance are reached from an agent's process. */
export interface PeerUrls {
  /** @param name of an agent */
  agent(name: string): string;
  /** Of the bridge before a server. @param name of a PallasServer, by its metadata */
  server(name: string): string;
  /** Of the registry of tools at an instance's gateway. */
  registry(instance: PallasInstance): string;
  /** Base URL of an instance's gateway, on its main port. */
  gateway(instance: PallasInstance): string;
}

/** In a cluster. */
export const clusterPeerUrls = (namespace: string): PeerUrls => ({
  agent: (name) => clusterAgentUrl(name, namespace),
  server: (name) => clusterServerUrl(name, namespace),
  registry: (instance) => `${clusterGatewayUrl(instance, namespace)}${registryMcpPath}`,
  gateway: (instance) => clusterGatewayUrl(instance, namespace),
});

const clusterGatewayUrl = ({ metadata, spec }: PallasInstance, namespace: string): string =>
  serviceUrl(gatewayName(metadata.name), namespace, spec.gateway?.service?.port ?? ports.gateway);

/** On this machine, by the name of what it listens on. */
export const localUrl = (port: number, host: string, path: string): string => `http://${host}:${port}${path}`;
export const localAgentUrl = (port: number, host = "localhost"): string => localUrl(port, host, "/mcp");

export const registryUrl = (instance: PallasInstance, namespace: string): string =>
  serviceUrl(registryName(instance.metadata.name), namespace, instance.spec.registry?.service?.port ?? ports.registry);

/** What the catalogue says in a cluster: the declared outside URL, else the Service's. */
export const publishedAgentUrl = (agent: PallasAgent, instance: PallasInstance): string =>
  declaredUrl(agent, instance, agent.spec.port) ?? clusterAgentUrl(agent.metadata.name, agent.metadata.namespace);

/** What it says without a cluster: the declared outside URL with the port that the agent got, else where it listens. */
export const publishedLocalUrl = (
  agent: PallasAgent,
  instance: PallasInstance | undefined,
  { port, host }: { port: number; host: string },
): string => (instance && declaredUrl(agent, instance, port)) ?? localAgentUrl(port, host);

function declaredUrl({ metadata }: PallasAgent, instance: PallasInstance, port = 0): string | undefined {
  const { host, template } = instance.spec.externalUrl ?? {};
  const shownPort = port === 0 ? "" : String(port);
  if (host !== undefined) return `http://${host}:${shownPort}/mcp`;
  if (template === undefined) return undefined;
  const { name: agent, namespace } = metadata;
  return fill(template, { instance: instance.metadata.name, agent, namespace, port: shownPort });
}

const fill = (template: string, values: Record<"instance" | "agent" | "namespace" | "port", string>): string =>
  Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), template);

/** The host of an outside URL, which must be accepted in Host headers (SEC-4). */
export const hostOf = (url: string): string | undefined => URL.parse(url)?.hostname;

/**
 * The host part of the instance's outside URL, which its registry must accept in Host headers (SEC-4); undefined
 * where every agent has a host of its own.
 */
export function externalHost(instance: PallasInstance): string | undefined {
  const { host, template } = instance.spec.externalUrl ?? {};
  if (host !== undefined) return host;
  if (template === undefined) return undefined;
  const { name, namespace } = instance.metadata;
  const agent = "any-agent";
  const url = fill(template, { instance: name, agent, namespace, port: "1" });
  const hostname = hostOf(url);
  return hostname?.includes(agent) ? undefined : hostname;
}
