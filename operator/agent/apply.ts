// Step 4: the children, in the order their users need them. The Deployment is created only after the agents it
// depends on are Ready; once it is there, it follows every change.
import { agentChildren } from "../../crds/names.ts";
import { renderAgentChildren } from "../render/agent-children.ts";
import type { LiveDeployment } from "../resources.ts";
import type { Accepted } from "./accept.ts";
import type { AgentRun } from "./run.ts";

/** Applies what differs. The Deployment as it now is, or undefined while it must wait. */
export async function applyChildren(
  { live, children, images, signal }: AgentRun,
  { agent, around }: Accepted,
  mayStart: boolean,
): Promise<LiveDeployment | undefined> {
  const rendered = renderAgentChildren(agent, around, images);
  await children.apply("serviceAccount", rendered.serviceAccount, live, signal);
  await children.apply("configMap", rendered.runConfig, live, signal);
  await children.apply("service", rendered.service, live, signal);
  const exists = children.find("deployment", live.metadata.namespace, agentChildren(agent.metadata.name).deployment);
  if (!mayStart && !exists) return undefined;
  return children.apply("deployment", rendered.deployment, live, signal);
}
