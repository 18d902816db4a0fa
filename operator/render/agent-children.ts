// Everything an agent owns, in the order it is written: what the pods need comes before the Deployment (OPR-1).
import type {
  V1ConfigMap,
  V1Deployment,
  V1PersistentVolumeClaim,
  V1PodDisruptionBudget,
  V1Service,
  V1ServiceAccount,
} from "@kubernetes/client-node";
import type { PallasAgent } from "../../crds/agent.ts";
import { agentChildren, configFiles, ports } from "../../crds/names.ts";
import type { LiveConfig, RunConfig, TokenSigner } from "../../crds/run-config.ts";
import type { Neighbourhood } from "../../plan/resolve.ts";
import { renderResolved } from "../../plan/resolved.ts";
import { serialiseConfig } from "../../plan/run-config.ts";
import { clusterPeerUrls } from "../../plan/urls.ts";
import { renderAgentDeployment } from "./agent-deployment.ts";
import { renderAgentBudget } from "./disruption-budget.ts";
import { renderHistoryClaim } from "./histories.ts";
import { renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import { renderNetworkPolicy } from "./network-policy.ts";
import type { RenderedNetworkPolicy } from "./policy-rules.ts";

/** Images of the operator's release; an instance may name others. */
export interface Images {
  agent: string;
  registry: string;
  gateway: string;
  bridge: string;
}

/** No role is ever bound to it, and no token of it that the API server accepts is mounted anywhere (SEC-1). */
const renderServiceAccount = (agent: PallasAgent): Rendered<V1ServiceAccount> => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: renderMetadata(agent, "agent", agentChildren(agent.metadata.name).serviceAccount),
  automountServiceAccountToken: false,
});

const renderService = (agent: PallasAgent): Rendered<V1Service> => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: renderMetadata(agent, "agent", agentChildren(agent.metadata.name).service),
  spec: {
    type: "ClusterIP",
    selector: renderSelector(agent, "agent"),
    ports: [{ name: "mcp", port: ports.agentMcp, targetPort: "mcp", protocol: "TCP", appProtocol: "http" }],
  },
});

const renderConfigMap = (
  agent: PallasAgent,
  name: string,
  file: string,
  config: RunConfig | LiveConfig,
): Rendered<V1ConfigMap> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: renderMetadata(agent, "agent", name),
  data: { [file]: serialiseConfig(config) },
});

/** Undefined: the agent has none of it, now. */
export interface AgentChildren {
  serviceAccount: Rendered<V1ServiceAccount>;
  runConfig: Rendered<V1ConfigMap>;
  liveConfig: Rendered<V1ConfigMap>;
  networkPolicy: RenderedNetworkPolicy | undefined;
  podDisruptionBudget: Rendered<V1PodDisruptionBudget> | undefined;
  historyClaim: Rendered<V1PersistentVolumeClaim> | undefined;
  service: Rendered<V1Service>;
  deployment: Rendered<V1Deployment>;
}

/**
 * The children of an agent without problems.
 * @param signer of the tokens of the instance's gateway, where it has one and that is known
 */
export function renderAgentChildren(
  agent: PallasAgent,
  around: Neighbourhood,
  images: Images,
  signer?: TokenSigner,
): AgentChildren {
  const { name, namespace } = agent.metadata;
  const names = agentChildren(name);
  const resolved = renderResolved(agent, around, clusterPeerUrls(namespace), signer);
  const { config, hash, live } = resolved;
  return {
    serviceAccount: renderServiceAccount(agent),
    runConfig: {
      ...renderConfigMap(agent, names.runConfig(hash), configFiles.run, config),
      immutable: true,
    },
    liveConfig: renderConfigMap(agent, names.liveConfig, configFiles.live, live),
    networkPolicy: renderNetworkPolicy(resolved),
    podDisruptionBudget: renderAgentBudget(agent),
    historyClaim: renderHistoryClaim(agent),
    service: renderService(agent),
    deployment: renderAgentDeployment(resolved, images.agent),
  };
}
