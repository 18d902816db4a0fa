// The PodDisruptionBudget of an agent with several pods: a drained node takes one of them at a time. With a single pod
// there is none, because it would hold up every drain for nothing.
import type { V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { PallasAgent } from "../../crds/agent.ts";
import { agentChildren } from "../../crds/names.ts";
import { renderMetadata, renderSelector, type Rendered } from "./metadata.ts";

export function renderDisruptionBudget(agent: PallasAgent): Rendered<V1PodDisruptionBudget> | undefined {
  if (agent.spec.replicas <= 1) return undefined;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: renderMetadata(agent, "agent", agentChildren(agent.metadata.name).podDisruptionBudget),
    spec: { maxUnavailable: 1, selector: { matchLabels: renderSelector(agent, "agent") } },
  };
}
