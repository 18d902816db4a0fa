// The first step of a tool server: may it be meant at all, in its instance (Accepted)? All judgement is plan/'s; here it
// becomes a condition.
import type { ServerConditionType } from "../../crds/conditions.ts";
import { objectKey } from "../../lib/kube/object.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import { adviseServer } from "../../plan/advice.ts";
import { judgeServers } from "../../plan/judge.ts";
import type { WatchedAgent, WatchedServer } from "../../plan/parse-watched.ts";
import type { ResolvedServer } from "../../plan/resolved-server.ts";
import { resolveServer } from "../../plan/server.ts";
import { clusterServerUrl } from "../../plan/urls.ts";
import { serverKeys, type ServerIndex } from "../caches.ts";
import type { ConditionSet } from "../conditions.ts";
import { findInstance, type FindingInstance } from "../find-instance.ts";

/** What is judged, and beside what. */
export interface JudgingServer extends FindingInstance {
  readonly live: WatchedServer;
  readonly conditions: ConditionSet<ServerConditionType>;
  readonly caches: FindingInstance["caches"] & {
    readonly servers: { readonly store: Pick<ReadStore<WatchedServer, ServerIndex>, "byIndex"> };
    readonly agents: { readonly store: Pick<ReadStore<WatchedAgent>, "get"> };
  };
}

/** Undefined when the server is not accepted; the condition then says why. */
export function acceptServer(run: JudgingServer): ResolvedServer | undefined {
  const { live, caches, conditions, rules } = run;
  if (!live.parsed.ok) {
    conditions.problem("Accepted", live.parsed.problems);
    return undefined;
  }
  const server = live.parsed.value;
  const instance = findInstance(run, server);
  if (!instance) return undefined;
  const { name, namespace } = live.metadata;
  // No server of another name has a say in whether this one is sound.
  const sameName = serverKeys(live).flatMap((key) => caches.servers.store.byIndex("name", key));
  const others = sameName.filter(({ metadata }) => metadata.name !== name);
  const all = [server, ...others.flatMap(({ parsed }) => (parsed.ok ? [parsed.value] : []))];
  const agents = { has: (agent: string) => caches.agents.store.get(objectKey(namespace, agent)) !== undefined };
  const [first, ...further] = judgeServers(instance, all, agents, rules).get(server) ?? [];
  if (first) {
    conditions.problem("Accepted", [first, ...further]);
    return undefined;
  }
  const advice = adviseServer(server).map(({ path, message }) => `; ${path}: ${message}`);
  const belongs = `belongs to PallasInstance "${instance.metadata.name}"`;
  conditions.set("Accepted", "True", "Accepted", `${belongs}${advice.join("")}`);
  return resolveServer(server, instance, clusterServerUrl(name, namespace));
}
