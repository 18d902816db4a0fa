// Step 4: the children, in the order their users need them. The Deployment is created only after the agents it
// depends on are Ready; once it is there, it follows every change, and takes a new release's image in turn.
import { agentChildren } from "../../crds/names.ts";
import { renderAgentChildren, type AgentChildren } from "../render/agent-children.ts";
import type { LiveDeployment } from "../resources.ts";
import { applyWanted, removeUnwanted } from "../sometimes.ts";
import type { Accepted } from "./accept.ts";
import { applyHistoryClaim } from "./history-claim.ts";
import { collectRunConfigs, numbered } from "../run-configs.ts";
import type { AgentRun } from "./run.ts";

export interface Applied {
  /** As it now is; undefined while it must wait for others. */
  readonly deployment?: LiveDeployment;
  /** Why it is held back, if it is (OPR-11). */
  readonly waiting?: string;
}

async function applyDeployment(
  { live, children, pacing, writing }: AgentRun,
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
  if (wanted) return { ...held, deployment: await children.apply("deployment", wanted, writing) };
  return owned ? { ...held, deployment: owned } : held;
}

/** By whose keys the agent checks its gateway's tokens; undefined where its instance has none, or nobody knows. */
async function observeSigner({ live, children, tokenIssuer }: AgentRun, { agent, around }: Accepted) {
  if (around.instance.spec.gateway === undefined) return undefined;
  const { liveConfig } = agentChildren(agent.metadata.name);
  return tokenIssuer.observe(live.metadata.uid, children.findOwned("configMap", live, liveConfig));
}

/** Applies what differs. Throws, after everything else is done, what the API server refused of claim and removals. */
export async function applyChildren(run: AgentRun, accepted: Accepted, mayStart: boolean): Promise<Applied> {
  const { children, images, writing } = run;
  const signer = await observeSigner(run, accepted);
  const rendered = renderAgentChildren(accepted.agent, accepted.around, images, signer);
  await children.apply("serviceAccount", rendered.serviceAccount, writing);
  await children.apply("configMap", numbered(run, rendered.runConfig), writing);
  await children.apply("configMap", rendered.liveConfig, writing);
  await applyWanted(children, rendered, writing);
  const refused = await applyHistoryClaim(run, rendered.historyClaim);
  await children.apply("service", rendered.service, writing);
  const applied = await applyDeployment(run, accepted, rendered.deployment, mayStart);
  await removeUnwanted(children, rendered, agentChildren(accepted.agent.metadata.name), writing);
  if (refused) throw refused;
  if (applied.deployment) await collectRunConfigs(run, rendered.runConfig, applied.deployment);
  return applied;
}
