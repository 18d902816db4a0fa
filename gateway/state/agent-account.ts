// Whose a ServiceAccount is, as of now (MGM-1): an agent's of this instance, one that is no more, or somebody else's. Names are
// used again, so that accounts, agents and pods count by their uids alone. Pure.
import { kinds } from "../../crds/kinds.ts";
import type { AgentFinding } from "../../lib/auth/authenticate.ts";
import type { ClusterAccount } from "../../lib/auth/cluster-tokens.ts";
import type { WatchedAccount } from "./watched-objects.ts";

export interface Surroundings {
  findAccount(name: string): WatchedAccount | undefined;
  /** An agent of this instance. */
  findAgent(name: string): { uid: string } | undefined;
  /** The uids of the pods behind an agent's Service, ready or not. */
  podsOf(agent: string): readonly string[];
}

const agentKind = kinds.PallasAgent.type.kind;

export function judgeAccount({ name, uid, pod }: ClusterAccount, around: Surroundings): AgentFinding {
  const account = around.findAccount(name);
  if (account?.metadata.uid !== uid) return { gone: "the token's ServiceAccount has been deleted" };
  const owner = account.controller;
  if (owner?.kind !== agentKind) return undefined;
  const agent = around.findAgent(owner.name);
  if (agent?.uid !== owner.uid) return { gone: "the token's ServiceAccount is of no agent of this instance" };
  if (pod !== undefined && !around.podsOf(owner.name).includes(pod.uid)) {
    return { gone: "the token's pod has been deleted, or is not known yet" };
  }
  return { agent: owner.name };
}
