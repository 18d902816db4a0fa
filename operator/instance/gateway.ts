// The gateway of an instance: its children where spec.gateway is set, and their removal where it is not any more. It is
// written after the registry, apart from it, so that neither holds up the other.
import { gatewayName } from "../../crds/names.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ReconcilerOptions } from "../agent/reconcile.ts";
import { collectRunConfigs, numbered } from "../run-configs.ts";
import type { Writing } from "../children.ts";
import { renderGatewayChildren } from "../render/gateway-children.ts";
import { removeProgram } from "../remove-program.ts";
import type { LiveDeployment } from "../resources.ts";
import { applyWanted, removeUnwanted } from "../sometimes.ts";

/** Of an instance without problems. Returns its Deployment; undefined where it has no gateway. */
export async function applyGateway(
  options: ReconcilerOptions,
  instance: PallasInstance,
  { writing, log }: { writing: Writing; log: Logger },
): Promise<LiveDeployment | undefined> {
  const { children, images, rules, apiServerPorts, metricsFrom, instanceServers } = options;
  const name = gatewayName(instance.metadata.name);
  const rendered = renderGatewayChildren(
    instance,
    images,
    rules,
    apiServerPorts,
    metricsFrom,
    instanceServers.of(instance).sound.values(),
  );
  if (rendered === undefined) {
    await removeProgram(children, name, writing);
    return undefined;
  }
  await children.apply("serviceAccount", rendered.serviceAccount, writing);
  await children.apply("role", rendered.role, writing);
  await children.apply("roleBinding", rendered.roleBinding, writing);
  await children.apply("configMap", numbered({ children, writing }, rendered.runConfig), writing);
  await children.apply("service", rendered.service, writing);
  await applyWanted(children, rendered, writing);
  const deployment: LiveDeployment = await children.apply("deployment", rendered.deployment, writing);
  await removeUnwanted(children, rendered, { networkPolicy: name, podDisruptionBudget: name }, writing);
  await collectRunConfigs({ children, writing, log }, rendered.runConfig, deployment);
  return deployment;
}
