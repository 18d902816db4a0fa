// The PodDisruptionBudget of what has several pods: a drained node takes one of them at a time. With a single pod there is
// none, because it would hold up every drain for nothing.
import type { V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { PallasAgent } from "../../crds/agent.ts";
import { agentChildren, gatewayName, registryName, type Component } from "../../crds/names.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { ResolvedGateway } from "../../plan/gateway.ts";
import { renderMetadata, renderSelector, type Rendered } from "./metadata.ts";

type Budget = Rendered<V1PodDisruptionBudget>;

const renderBudget = (owner: PallasAgent | PallasInstance, component: Component, name: string): Budget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: renderMetadata(owner, component, name),
  spec: {
    maxUnavailable: 1,
    // A pod that is not ready anyway, and may never be, holds up no drain.
    unhealthyPodEvictionPolicy: "AlwaysAllow",
    selector: { matchLabels: renderSelector(owner, component) },
  },
});

export const renderAgentBudget = (agent: PallasAgent): Budget | undefined =>
  agent.spec.replicas > 1
    ? renderBudget(agent, "agent", agentChildren(agent.metadata.name).podDisruptionBudget)
    : undefined;

export const renderRegistryBudget = (instance: PallasInstance): Budget | undefined =>
  (instance.spec.registry?.replicas ?? 1) > 1
    ? renderBudget(instance, "registry", registryName(instance.metadata.name))
    : undefined;

export const renderGatewayBudget = ({ instance, replicas }: ResolvedGateway): Budget | undefined =>
  replicas > 1 ? renderBudget(instance, "gateway", gatewayName(instance.metadata.name)) : undefined;
