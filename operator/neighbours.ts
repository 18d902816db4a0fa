// The agents of each instance as plan/ wants them, kept in step with the cache: gathering them anew would cost each
// reconcile a walk over all agents of its instance.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { objectKey } from "../lib/kube/object.ts";
import type { ReadStore } from "../lib/kube/store.ts";
import type { Neighbourhood } from "../plan/resolve.ts";
import type { WatchedAgent } from "./resources.ts";

export interface Neighbours {
  /** A view that goes on changing with the cache: to be used up before the next await. */
  of(instance: PallasInstance): Neighbourhood;
}

export function createNeighbours(agents: Pick<ReadStore<WatchedAgent>, "onChange">): Neighbours {
  const byInstance = new Map<string, Map<string, PallasAgent>>();
  const instanceOf = ({ metadata, spec }: PallasAgent) => objectKey(metadata.namespace, spec.instanceRef.name);
  const remove = (agent: PallasAgent): void => {
    const instance = instanceOf(agent);
    const own = byInstance.get(instance);
    own?.delete(agent.metadata.name);
    if (own?.size === 0) byInstance.delete(instance);
  };
  const put = (agent: PallasAgent): void => {
    const instance = instanceOf(agent);
    const own = byInstance.get(instance) ?? new Map<string, PallasAgent>();
    byInstance.set(instance, own.set(agent.metadata.name, agent));
  };
  agents.onChange((change) => {
    const before = change.type === "added" || !change.previous.parsed.ok ? undefined : change.previous.parsed.value;
    const after = change.type === "deleted" || !change.object.parsed.ok ? undefined : change.object.parsed.value;
    // One that stays where it was keeps its place in the order.
    if (before && (!after || instanceOf(after) !== instanceOf(before))) remove(before);
    if (after) put(after);
  });
  return {
    of: (instance) => ({
      instance,
      agents: byInstance.get(objectKey(instance.metadata.namespace, instance.metadata.name)) ?? new Map(),
    }),
  };
}
