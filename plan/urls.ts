// Where agents and registries are reached: from inside the cluster by Service name, from outside as the instance
// declares (CAT-4). Always ending in /mcp for agents.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { ports, registryName, serviceUrl } from "../crds/names.ts";

/** Inside the cluster, by Service DNS name. */
export const clusterAgentUrl = (agent: string, namespace: string): string =>
  `${serviceUrl(agent, namespace, ports.agentMcp)}/mcp`;

export const localAgentUrl = (port: number): string => `http://localhost:${port}/mcp`;

export const registryUrl = (instance: PallasInstance, namespace: string): string =>
  serviceUrl(registryName(instance.metadata.name), namespace, instance.spec.registry?.service?.port ?? ports.registry);

/** What the catalogue says in a cluster: the declared outside URL, else the Service's. */
export function publishedAgentUrl(agent: PallasAgent, instance: PallasInstance): string {
  const { name, namespace } = agent.metadata;
  const { host, template } = instance.spec.externalUrl ?? {};
  const port = String(agent.spec.port ?? "");
  if (host !== undefined) return `http://${host}:${port}/mcp`;
  if (template === undefined) return clusterAgentUrl(name, namespace);
  return fill(template, { instance: instance.metadata.name, agent: name, namespace, port });
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
