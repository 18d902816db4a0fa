// Step 4: the children, in the order their users need them. The Deployment is created only after the agents it
// depends on are Ready; once it is there, it follows every change, and takes a new release's image in turn.
import { agentChildren } from "../../crds/names.ts";
import type { KubeObject } from "../../lib/kube/object.ts";
import { renderAgentChildren, type AgentChildren } from "../render/agent-children.ts";
import type { ChildKind, LiveDeployment } from "../resources.ts";
import type { Accepted } from "./accept.ts";
import { applyHistoryClaim } from "./history-claim.ts";
import type { AgentRun } from "./run.ts";

export interface Applied {
  /** As it now is; undefined while it must wait for others. */
  readonly deployment?: LiveDeployment;
  /** Why it is held back, if it is (OPR-11). */
  readonly waiting?: string;
}

/** A child that the agent has only sometimes: removed, if it is ours, when it is not wanted. */
async function applyOrRemove(
  { live, children, signal }: AgentRun,
  kind: ChildKind,
  name: string,
  desired: KubeObject | undefined,
): Promise<void> {
  if (desired) await children.apply(kind, desired, live, signal);
  else await children.remove(kind, live, name, signal);
}

async function applyDeployment(
  { live, children, pacing, signal }: AgentRun,
  { agent, around }: Accepted,
  desired: AgentChildren["deployment"],
  mayStart: boolean,
): Promise<Applied> {
  const name = agentChildren(agent.metadata.name).deployment;
  const owned = children.findOwned("deployment", live, name);
  if (!mayStart && !owned && !children.find("deployment", live.metadata.namespace, name)) return {};
  const { deployment: wanted, ...held } = pacing.paceImage({
    desired,
    live: owned,
    pinned: (around.instance.spec.images?.agent ?? "") !== "",
    specHandled: live.status?.observedGeneration === live.metadata.generation,
  });
  if (wanted) return { ...held, deployment: await children.apply("deployment", wanted, live, signal) };
  return owned ? { ...held, deployment: owned } : held;
}

/** Applies what differs. Throws, after everything else is done, what the API server refused of the history claim. */
export async function applyChildren(run: AgentRun, accepted: Accepted, mayStart: boolean): Promise<Applied> {
  const { live, children, images, signal } = run;
  const names = agentChildren(accepted.agent.metadata.name);
  const rendered = renderAgentChildren(accepted.agent, accepted.around, images);
  await children.apply("serviceAccount", rendered.serviceAccount, live, signal);
  await children.apply("configMap", rendered.runConfig, live, signal);
  // Before the pods: none may run without it.
  await applyOrRemove(run, "networkPolicy", names.networkPolicy, rendered.networkPolicy);
  await applyOrRemove(run, "podDisruptionBudget", names.podDisruptionBudget, rendered.podDisruptionBudget);
  const refused = await applyHistoryClaim(run, rendered.historyClaim);
  await children.apply("service", rendered.service, live, signal);
  const applied = await applyDeployment(run, accepted, rendered.deployment, mayStart);
  if (refused) throw refused;
  return applied;
}
