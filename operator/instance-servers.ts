// The PallasServers of each instance as its agents and its gateway see them: judged once for all of them, and anew only when
// one changes, the instance does, or an agent comes or goes that has the name of a server's children.
import type { PallasInstance } from "../crds/instance.ts";
import { objectKey } from "../lib/kube/object.ts";
import type { ReadStore } from "../lib/kube/store.ts";
import { judgeServers, serversAround } from "../plan/judge.ts";
import type { WatchedAgent, WatchedServer } from "../plan/parse-watched.ts";
import type { Servers } from "../plan/resolve.ts";
import type { Rules } from "../plan/rules.ts";
import { runsServer, type ServerIndex } from "./caches.ts";

export interface InstanceServers {
  /** Of an instance without problems. */
  of(instance: PallasInstance): Servers;
}

export interface InstanceServersOptions {
  readonly servers: Pick<ReadStore<WatchedServer, ServerIndex>, "byIndex" | "list" | "onChange">;
  readonly agents: Pick<ReadStore<WatchedAgent>, "get" | "onChange">;
  readonly rules: Rules;
}

interface Judged {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly servers: Servers;
}

const hasChanged = (before: WatchedServer, after: WatchedServer): boolean =>
  after.metadata.generation === undefined ||
  before.metadata.generation !== after.metadata.generation ||
  before.metadata.uid !== after.metadata.uid;

export function createInstanceServers({ servers, agents, rules }: InstanceServersOptions): InstanceServers {
  /** By namespace and name of the instance. */
  const known = new Map<string, Map<string, Judged>>();
  servers.onChange((change) => {
    if (change.type === "modified" && !hasChanged(change.previous, change.object)) return;
    known.delete((change.type === "deleted" ? change.previous : change.object).metadata.namespace);
  });
  agents.onChange((change) => {
    if (change.type === "modified") return;
    const { name, namespace } = (change.type === "deleted" ? change.previous : change.object).metadata;
    if (runsServer(name) !== undefined) known.delete(namespace);
  });
  const judge = (instance: PallasInstance): Servers => {
    const { name, namespace } = instance.metadata;
    const own = servers.byIndex("instance", objectKey(namespace, name));
    const readable = own.flatMap(({ parsed }) => (parsed.ok ? [parsed.value] : []));
    const agentNames = { has: (agent: string) => agents.get(objectKey(namespace, agent)) !== undefined };
    // Which instance these belong to, and by which name agents know them, cannot be told.
    const unreadable = servers
      .list()
      .filter(({ metadata, parsed }) => metadata.namespace === namespace && !parsed.ok)
      .map(({ metadata }): [string, string] => [metadata.name, metadata.name]);
    return serversAround(judgeServers(instance, readable, agentNames, rules), new Map(unreadable));
  };
  return {
    of(instance) {
      const { name, namespace, uid, generation } = instance.metadata;
      const inNamespace = known.get(namespace) ?? new Map<string, Judged>();
      const found = inNamespace.get(name);
      if (found && found.uid === uid && found.generation === generation) return found.servers;
      const judged: Judged = { uid, generation, servers: judge(instance) };
      known.set(namespace, inNamespace.set(name, judged));
      return judged.servers;
    },
  };
}
