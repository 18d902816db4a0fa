// Step 3: are the agents that must come first Ready (OPR-4)? A dependency that fails later is told, nothing is torn
// down for it.
import type { Reason } from "../../crds/conditions.ts";
import { objectKey } from "../../lib/kube/object.ts";
import { listNames } from "../../plan/validation-error.ts";
import { dependenciesOf } from "../../plan/order.ts";
import { isReady } from "../dependents.ts";
import type { Accepted } from "./accept.ts";
import type { AgentRun } from "./run.ts";

/** True when the Deployment may be created: its dependencies are Ready, or once were. */
export function observeDependencies({ live, caches, conditions }: AgentRun, { agent }: Accepted): boolean {
  const names = dependenciesOf(agent);
  const before = conditions.get("DependenciesReady");
  const wereReady = before?.status === "True" || before?.reason === ("DependencyNotReady" satisfies Reason);
  const waiting = names.filter((name) => {
    const dependency = caches.agents.store.get(objectKey(live.metadata.namespace, name));
    return !dependency || !isReady(dependency);
  });
  if (waiting.length > 0) {
    if (wereReady) {
      conditions.set("DependenciesReady", "False", "DependencyNotReady", `not Ready: ${listNames(waiting)}`);
    } else {
      conditions.set("DependenciesReady", "False", "WaitingForDependencies", `not Ready yet: ${listNames(waiting)}`);
    }
    return wereReady;
  }
  const message = names.length === 0 ? "depends on no other agent" : `Ready: ${listNames(names)}`;
  conditions.set("DependenciesReady", "True", "DependenciesReady", message);
  return true;
}
