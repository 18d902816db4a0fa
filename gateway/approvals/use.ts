// Uses what was decided, once: by a write that the API server takes from one alone, before the call is made. A crash in between loses
// the call, and never makes it twice.
import type { ApprovalDecision, PallasApproval } from "../../crds/approval.ts";
import type { ApprovalUse } from "../../crds/approval-wire.ts";
import { ApprovalRefused } from "./approvals.ts";
import { renderUsed } from "./conditions.ts";
import { maxTries, notFound, refuseBy, type Life } from "./parts.ts";
import { isForSession } from "./standing.ts";
import { StoreRefused } from "./store.ts";

/** @throws ApprovalRefused not_found, hash, undecided, used, expired, unready */
export async function useApproval(
  life: Life,
  name: string,
  { use, argumentsHash }: ApprovalUse,
): Promise<ApprovalDecision> {
  const { store, log } = life;
  let approval = life.find(name) ?? (await readNow(life, name));
  // What others decided or wrote may not have been told yet.
  if (life.stateOf(approval) === "pending") approval = await readNow(life, name);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const decision = judgeUse(life, approval, { use, argumentsHash });
    if (approval.status?.usedBy === use || isForSession(decision)) return decision;
    try {
      await store.setStatus(approval, renderUsed(life, approval, use));
      log.info({ approval: name, verdict: decision.verdict, by: decision.by, use }, "approval used");
      return decision;
    } catch (error) {
      if (!(error instanceof StoreRefused) || !["changed", "away"].includes(error.kind)) throw refuseBy(error);
      approval = await readNow(life, name);
      // Not told whether it was written: it is told now.
      if (error.kind === "away" && approval.status?.usedBy === undefined) throw refuseBy(error);
    }
  }
  throw new ApprovalRefused("unready", `approval "${name}" is changed by others all the time: try again`);
}

async function readNow({ store }: Life, name: string): Promise<PallasApproval> {
  const found = await store.read(name).catch((error: unknown) => Promise.reject(refuseBy(error)));
  if (found === undefined) throw notFound(name);
  return found;
}

/** What is used, where it may be. */
function judgeUse(life: Life, approval: PallasApproval, { use, argumentsHash }: ApprovalUse): ApprovalDecision {
  const { name } = approval.metadata;
  if (approval.spec.argumentsHash !== argumentsHash) {
    throw new ApprovalRefused("hash", `approval "${name}" is for other arguments than the call has`);
  }
  const { agentRef, agentUid } = approval.spec;
  if (agentRef !== undefined && life.state.getAgent(agentRef.name)?.metadata.uid !== agentUid) {
    throw new ApprovalRefused("expired", `approval "${name}" was asked by an earlier agent "${agentRef.name}"`);
  }
  const decision = life.read(approval);
  const state = life.stateOf(approval);
  if (state === "pending") throw new ApprovalRefused("undecided", `nobody has decided of approval "${name}" yet`);
  if (state === "used" && approval.status?.usedBy !== use) {
    throw new ApprovalRefused("used", `what was decided of approval "${name}" has been used: a yes is worth one call`);
  }
  if (state === "expired" || decision === undefined) {
    throw new ApprovalRefused("expired", `approval "${name}" has expired: ask again`);
  }
  return decision;
}
