// The gateways that should run on this machine, from the instances that have one: pure. Beside whom the manifest lets in,
// whoever holds the token of the run is an admin, and each agent is known by a token of its own; accounts of a cluster are nobody here.
import { createHash } from "node:crypto";
import type { PallasAgent } from "../../crds/agent.ts";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { ports } from "../../crds/names.ts";
import { resolveGateway } from "../../plan/gateway.ts";
import { gatewayKey } from "./process-keys.ts";

/** No Kubernetes name, so that no manifest's Secret has it. */
export const runTokens = { name: "Pallas-up", key: "admins" } as const;
export const agentTokens = (agent: string) => ({ name: runTokens.name, key: `agent.${agent}` });

export interface DesiredGateway {
  key: string;
  instance: PallasInstance;
  /** Names of the instance's agents, in alphabetical order. */
  agents: readonly string[];
  port: number;
  url: string;
  /** The page that people use, without a token. */
  dashboardUrl: string;
  /** But for the admin port. */
  config: GatewayConfig;
  /** Differs exactly when the process must be started anew. */
  fingerprint: string;
}

const admin: GatewayConfig["access"][number] = {
  who: { tokens: runTokens },
  as: { role: "admin", agents: ["*"], servers: ["*"] },
};

const renderAgentRule = (agent: string): GatewayConfig["access"][number] => ({
  who: { tokens: agentTokens(agent) },
  as: { agent },
});

/** From the registry's, so that those of two runs differ as their registries do. */
const portDistance = ports.gateway - ports.registry;

export interface GatewayContext {
  agents: readonly PallasAgent[];
  registryPort: number;
  takenPorts: Iterable<number>;
  urlHost: string;
}

/** Each on the port of its Service, or where that says none as far from the registry as in a cluster; or the first after it that nobody was given. */
export function renderGateways(
  instances: Iterable<PallasInstance>,
  { agents, registryPort, takenPorts, urlHost }: GatewayContext,
): Map<string, DesiredGateway> {
  const taken = new Set([registryPort, ...takenPorts]);
  const gateways = [...instances].flatMap((instance): [string, DesiredGateway][] => {
    const resolved = resolveGateway(instance);
    if (resolved === undefined || resolved.replicas === 0) return [];
    let port = instance.spec.gateway?.service?.port ?? registryPort + portDistance;
    while (taken.has(port)) port += 1;
    taken.add(port);
    const { name, namespace } = instance.metadata;
    const names = agents
      .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.instanceRef.name === name)
      .map(({ metadata }) => metadata.name)
      .toSorted();
    const written = resolved.config.access.filter(({ who }) => !("serviceAccount" in who));
    const access = [admin, ...written, ...names.map(renderAgentRule)];
    const config = { ...resolved.config, access, ports: { ...resolved.config.ports, http: port } };
    const fingerprint = createHash("sha256").update(JSON.stringify(config)).digest("hex");
    const key = gatewayKey(instance);
    const origin = `http://${urlHost}:${port}`;
    const urls = { url: `${origin}/mcp`, dashboardUrl: `${origin}/ui/` };
    return [[key, { key, instance, agents: names, port, ...urls, config, fingerprint }]];
  });
  return new Map(gateways);
}
