// Writes what somebody decided, when they may and nobody was faster.
import type { ApprovalDecision, PallasApproval } from "../../crds/approval.ts";
import type { CallerAnswer } from "../../crds/approval-wire.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { renderTime } from "../../lib/process/clock.ts";
import { ApprovalRefused, type Verdict } from "./approvals.ts";
import { acceptVerdict, judgeRight } from "./judge-verdict.ts";
import { maxTries, notFound, refuseBy, type Life } from "./parts.ts";
import { StoreRefused } from "./store.ts";

/** @throws ApprovalRefused forbidden, not_found, decided, expired, hash, invalid, too-large, unready */
export async function decideApproval(
  life: Life,
  name: string,
  verdict: Verdict,
  identity: Identity,
): Promise<PallasApproval> {
  return await write(life, name, (approval) => {
    const right = judgeRight(approval, identity, life.state);
    if ("refusal" in right) throw new ApprovalRefused(right.refusal, right.why);
    requireOpen(life, approval);
    return acceptVerdict(approval, verdict, {
      by: identity.name,
      approver: right.approver,
      at: renderTime(life.clock),
    });
  });
}

/** @throws ApprovalRefused as `decideApproval` */
export async function decideByCaller(life: Life, name: string, answer: CallerAnswer): Promise<PallasApproval> {
  return await write(life, name, (approval) => {
    const { policy, caller } = approval.spec;
    if (policy.askCaller !== true) {
      throw new ApprovalRefused(
        "forbidden",
        `the rule of approval "${name}" does not let the caller decide: askCaller is not set`,
      );
    }
    requireOpen(life, approval);
    return acceptVerdict(approval, answer, { by: caller, at: renderTime(life.clock) });
  });
}

async function write(
  life: Life,
  name: string,
  judge: (approval: PallasApproval) => ApprovalDecision,
): Promise<PallasApproval> {
  const { store, log } = life;
  const readNow = async () => await store.read(name).catch((error: unknown) => Promise.reject(refuseBy(error)));
  let approval = life.find(name) ?? (await readNow());
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (approval === undefined) throw notFound(name);
    const decision = judge(approval);
    try {
      const decided = await store.decide(approval, decision);
      const { server, tool, agentRef } = decided.spec;
      const { verdict, by, approver, scope } = decision;
      log.info(
        { approval: name, agent: agentRef?.name, server, tool, verdict, by, approver, scope },
        "approval decided",
      );
      return decided;
    } catch (error) {
      if (!(error instanceof StoreRefused) || !["changed", "away"].includes(error.kind)) throw refuseBy(error);
      approval = await readNow();
      const now = approval?.spec.decision;
      // Not told whether it was written: it is told now.
      if (approval !== undefined && now?.at === decision.at && now.by === decision.by) return approval;
      if (error.kind === "away" && now === undefined) throw refuseBy(error);
    }
  }
  throw new ApprovalRefused("unready", `approval "${name}" is changed by others all the time: try again`);
}

function requireOpen({ stateOf }: Life, approval: PallasApproval): void {
  const { decision } = approval.spec;
  const { name } = approval.metadata;
  if (decision !== undefined) {
    const message = `approval "${name}" was decided already: ${decision.verdict} by ${decision.by} at ${decision.at}`;
    throw new ApprovalRefused("decided", message, { decision });
  }
  if (stateOf(approval) !== "pending") throw new ApprovalRefused("expired", `approval "${name}" has expired`);
}
