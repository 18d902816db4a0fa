// The children of a tool server that runs behind a bridge, in the order its pods need them; where it is called directly,
// what is left of a bridge it had before goes.
import { serverChildren } from "../../crds/names.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ResolvedServer } from "../../plan/resolved-server.ts";
import type { ChildWriter, Writing } from "../children.ts";
import { removeProgram } from "../remove-program.ts";
import type { Images } from "../render/agent-children.ts";
import { renderServerChildren } from "../render/server-children.ts";
import type { ServerPeers } from "../render/server-network-policy.ts";
import type { LiveDeployment } from "../resources.ts";
import { collectRunConfigs, numbered } from "../run-configs.ts";
import { applyWanted, removeUnwanted } from "../sometimes.ts";

export interface ApplyingServer {
  readonly children: ChildWriter;
  readonly images: Images;
  readonly peers: ServerPeers;
  readonly writing: Writing;
  readonly log: Logger;
}

/** Returns its Deployment; undefined where there is no bridge. */
export async function applyServer(
  { children, images, peers, writing, log }: ApplyingServer,
  resolved: ResolvedServer,
): Promise<LiveDeployment | undefined> {
  const names = serverChildren(resolved.server.metadata.name);
  const rendered = renderServerChildren(resolved, images, peers);
  if (rendered === undefined) {
    await removeProgram(children, names.deployment, writing);
    return undefined;
  }
  await children.apply("serviceAccount", rendered.serviceAccount, writing);
  await children.apply("configMap", numbered({ children, writing }, rendered.runConfig), writing);
  await applyWanted(children, rendered, writing);
  await children.apply("service", rendered.service, writing);
  const deployment: LiveDeployment = await children.apply("deployment", rendered.deployment, writing);
  const { networkPolicy } = names;
  await removeUnwanted(children, rendered, { networkPolicy, podDisruptionBudget: names.deployment }, writing);
  await collectRunConfigs({ children, writing, log }, rendered.runConfig, deployment);
  return deployment;
}
