// The agents and tool servers of each instance as plan/ wants them, kept in step with the cache: gathering them anew would cost each
// reconcile a walk over all agents of its instance.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { defined } from "../lib/process/defined.ts";
import { objectKey } from "../lib/kube/object.ts";
import type { ReadStore } from "../lib/kube/store.ts";
import { calledBy } from "../plan/order.ts";
import type { WatchedAgent } from "../plan/parse-watched.ts";
import type { Neighbourhood } from "../plan/resolve.ts";
import type { InstancePolicies } from "./instance-policies.ts";
import type { InstanceServers } from "./instance-servers.ts";

export interface Neighbours {
  /** A view that goes on changing with the cache: to be used up before the next await. */
  of(instance: PallasInstance): Neighbourhood;
}

interface Around {
  readonly agents: Map<string, PallasAgent>;
  readonly callers: Map<string, Set<string>>;
}

/** @param servers absent: no instance has any but those in its own spec; policies the same */
export function createNeighbours(
  agents: Pick<ReadStore<WatchedAgent>, "onChange">,
  servers?: InstanceServers,
  policies?: InstancePolicies,
): Neighbours {
  const byInstance = new Map<string, Around>();
  const unreadable = new Map<string, Set<string>>();
  const instanceOf = ({ metadata, spec }: PallasAgent) => objectKey(metadata.namespace, spec.instanceRef.name);
  const forgetCalls = (agent: PallasAgent): void => {
    const callers = byInstance.get(instanceOf(agent))?.callers;
    for (const name of calledBy(agent)) {
      callers?.get(name)?.delete(agent.metadata.name);
      if (callers?.get(name)?.size === 0) callers.delete(name);
    }
  };
  const remove = (agent: PallasAgent): void => {
    const instance = instanceOf(agent);
    const own = byInstance.get(instance);
    own?.agents.delete(agent.metadata.name);
    if (own?.agents.size === 0) byInstance.delete(instance);
  };
  const put = (agent: PallasAgent): void => {
    const instance = instanceOf(agent);
    const own = byInstance.get(instance) ?? { agents: new Map(), callers: new Map() };
    own.agents.set(agent.metadata.name, agent);
    for (const name of calledBy(agent)) {
      own.callers.set(name, (own.callers.get(name) ?? new Set()).add(agent.metadata.name));
    }
    byInstance.set(instance, own);
  };
  const keepUnreadable = ({ metadata: { namespace, name } }: WatchedAgent, isUnreadable: boolean): void => {
    const names = unreadable.get(namespace) ?? new Set<string>();
    if (isUnreadable) unreadable.set(namespace, names.add(name));
    else if (names.delete(name) && names.size === 0) unreadable.delete(namespace);
  };
  agents.onChange((change) => {
    if (change.type === "deleted") keepUnreadable(change.previous, false);
    else keepUnreadable(change.object, !change.object.parsed.ok);
    const before = change.type === "added" || !change.previous.parsed.ok ? undefined : change.previous.parsed.value;
    const after = change.type === "deleted" || !change.object.parsed.ok ? undefined : change.object.parsed.value;
    if (before) forgetCalls(before);
    // One that stays where it was keeps its place in the order.
    if (before && (!after || instanceOf(after) !== instanceOf(before))) remove(before);
    if (after) put(after);
  });
  return {
    of(instance) {
      const { namespace, name } = instance.metadata;
      const { agents = new Map(), callers = new Map() } = byInstance.get(objectKey(namespace, name)) ?? {};
      // Which instance they belong to cannot be told.
      const invalid = unreadable.get(namespace) ?? new Set();
      const around = { instance, agents, callers, invalid };
      return { ...around, ...defined({ servers: servers?.of(instance), policies: policies?.of(instance) }) };
    },
  };
}
