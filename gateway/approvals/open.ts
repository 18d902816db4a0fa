// Finds the approval that a call waits for, or asks for a new one: the very same call is asked about once, by however many processes
// and after whatever crash. How many may wait is limited, by agent and in all.
import type { PallasApproval } from "../../crds/approval.ts";
import { maxPendingApprovals, type ApprovalQuestion } from "../../crds/approval-wire.ts";
import { createTurns } from "../directory/turns.ts";
import { ApprovalRefused, type Asker } from "./approvals.ts";
import { numberOf } from "./call-hash.ts";
import { maxTries, refuseBy, type Life } from "./parts.ts";
import { acceptQuestion, renderApproval, type AskedBy } from "./question.ts";
import { StoreRefused } from "./store.ts";

/** Of all that wait at the same time. */
export const pendingLimits = { maxApprovals: 1_024, maxChars: 32 * 1024 * 1024 } as const;

type Asked = ReturnType<typeof acceptQuestion>;
export type Open = (question: ApprovalQuestion, from: Asker) => Promise<PallasApproval>;

export function createOpen(life: Life): Open {
  // One at a time for each who asks, so that what is counted still holds when it is written.
  const inTurn = createTurns();
  return async (question, from) => {
    const by = findAsker(life, from);
    const asked = acceptQuestion(question, by);
    return await inTurn(ownerOf(asked), async () => await findOrCreate(life, asked, by));
  };
}

function findAsker({ state, config }: Life, { agent: name }: Asker): AskedBy {
  const unready = state.observeUnready();
  if (unready !== undefined) throw new ApprovalRefused("unready", `approvals cannot be asked yet: ${unready}`);
  const { name: instance, namespace } = config.instance;
  const by = { namespace, instance: { name: instance, uid: state.getInstance()?.metadata.uid } };
  if (name === undefined) return by;
  const agent = state.getAgent(name);
  if (agent === undefined) {
    throw new ApprovalRefused("unready", `instance "${instance}" has no agent "${name}", or not yet`);
  }
  return { ...by, agent: { name, uid: agent.metadata.uid } };
}

async function findOrCreate(life: Life, asked: Asked, by: AskedBy): Promise<PallasApproval> {
  const { store, clock, config, log } = life;
  let least = 0;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const latest = findLatest(life, asked);
    if (latest !== undefined && ["pending", "decided"].includes(life.stateOf(latest))) return latest;
    requireRoom(life, asked);
    const n = Math.max(least, latest === undefined ? 0 : numberOf(latest.metadata.name) + 1);
    const expiresAt = new Date(clock.wallNow() + config.approvals.timeoutMs).toISOString();
    const approval = renderApproval(asked, by, { n, expiresAt });
    const { name } = approval.metadata;
    try {
      const created = await store.create(approval);
      const { server, tool, callHash } = asked;
      log.info({ approval: name, agent: by.agent?.name, server, tool, callHash, expiresAt }, "approval asked");
      return created;
    } catch (error) {
      if (!(error instanceof StoreRefused) || !["taken", "away"].includes(error.kind)) throw refuseBy(error);
      // Another process was faster, or nobody knows: it is there then, and is what is waited for.
      const found = await store.read(name).catch((cause: unknown) => Promise.reject(refuseBy(cause)));
      if (found === undefined && error.kind === "away") throw refuseBy(error);
      if (found?.spec.callHash !== asked.callHash) least = n + 1;
    }
  }
  throw new ApprovalRefused("unready", "approvals of this call come and go all the time: try again");
}

const ownerOf = ({ agentRef, caller }: Pick<Asked, "agentRef" | "caller">): string =>
  agentRef === undefined ? `caller ${caller}` : `agent ${agentRef.name}`;

function findLatest({ store }: Life, { callHash }: Asked): PallasApproval | undefined {
  return store
    .list()
    .filter(({ spec }) => spec.callHash === callHash)
    .toSorted((a, b) => numberOf(b.metadata.name) - numberOf(a.metadata.name))[0];
}

/** @throws ApprovalRefused full */
function requireRoom({ store, stateOf }: Life, asked: Asked): void {
  const pending = store.list().filter((each) => stateOf(each) === "pending");
  const owner = ownerOf(asked);
  if (pending.filter(({ spec }) => ownerOf(spec) === owner).length >= maxPendingApprovals) {
    throw new ApprovalRefused(
      "full",
      `${maxPendingApprovals} calls of this ${owner.split(" ")[0]} wait for an approval: decide of some first`,
    );
  }
  const chars = pending.reduce((sum, each) => sum + sizeOf(each.spec), sizeOf(asked));
  if (pending.length >= pendingLimits.maxApprovals || chars > pendingLimits.maxChars) {
    throw new ApprovalRefused("full", `${pending.length} calls wait for an approval: decide of some first`);
  }
}

/** In characters, of all that may be long. */
export const sizeOf = (spec: Omit<PallasApproval["spec"], "expiresAt">): number =>
  [
    ...[spec.arguments, spec.inputSchema, spec.outputSchema, spec.decision?.arguments, spec.decision?.answer],
    ...[spec.description, ...(spec.steps ?? []).map((step) => step.text)],
  ].reduce((sum, text) => sum + (text?.length ?? 0), 1_024);
