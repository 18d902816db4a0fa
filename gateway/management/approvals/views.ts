// Approvals as somebody sees them, one, those that wait, or those that are over: which, in which order, each with the last approved
// call of its kind, and how many, so that one answer has room for them. From memory.
import type { PallasApproval } from "../../../crds/approval.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { Approvals, ApprovalState } from "../../approvals/approvals.ts";
import type { GatewayState, StateChange } from "../../state/state.ts";
import { seesApproval } from "../access.ts";
import { renderApproval, type ShownApproval, type ViewParts } from "./view.ts";

export interface ApprovalViews {
  /** Whether there is one of this name for the identity. */
  sees(name: string, identity: Identity): boolean;
  /** Undefined where there is none. */
  one(name: string, identity: Identity): ShownApproval | undefined;
  /** Those that wait, the first to expire first; of one agent, or of all. */
  pending(identity: Identity, agent?: string): readonly ShownApproval[];
  /** The newest that are over or decided, the newest first; of one agent, or of all. */
  history(identity: Identity, agent?: string): readonly ShownApproval[];
  /** How many of each agent wait that the identity may decide of. */
  countForDecision(identity: Identity): ReadonlyMap<string, number>;
  /** The agents whose approvals a change of the instance is about, those that went included. */
  agentsOf(change: Pick<StateChange, "approvals">): readonly string[];
}

export interface ApprovalViewsParts {
  approvals: Pick<Approvals, "list" | "get" | "stateOf" | "whyNot">;
  state: Pick<GatewayState, "getServer" | "getAgent">;
}

/** Of `…/approvals/history`. */
const maxHistory = 200;
/** Of a list with everything, and with what comes behind without long texts: below what one resource may say. */
const maxWholeBytes = 2.5 * 1024 * 1024;
const maxListBytes = 3.5 * 1024 * 1024;

export function createApprovalViews({ approvals, state }: ApprovalViewsParts): ApprovalViews {
  const agents = new Map<string, string>();
  const show =
    (identity: Identity, last: LastApproved): Show =>
    (approval, options) =>
      renderApproval(approval, identity, {
        state: approvals.stateOf(approval),
        objection: approvals.whyNot(approval, identity),
        last: last(approval),
        ...options,
      });
  const seen = (identity: Identity, wanted: (state: ApprovalState) => boolean, agent?: string) =>
    approvals
      .list()
      .filter(
        (approval) =>
          (agent === undefined || approval.spec.agentRef?.name === agent) &&
          wanted(approvals.stateOf(approval)) &&
          seesApproval(identity, approval, state),
      );
  const lastApproved = () => indexApproved(approvals.list(), (approval) => approvals.stateOf(approval));
  const find = (name: string, identity: Identity) => {
    const approval = approvals.get(name);
    return approval !== undefined && seesApproval(identity, approval, state) ? approval : undefined;
  };
  return {
    sees: (name, identity) => find(name, identity) !== undefined,
    one(name, identity) {
      const approval = find(name, identity);
      return approval && show(identity, lastApproved())(approval);
    },
    pending(identity, agent) {
      const waiting = seen(identity, (each) => each === "pending", agent);
      const sorted = waiting.toSorted((a, b) => compare(a.spec.expiresAt, b.spec.expiresAt));
      return fitApprovals(sorted, show(identity, lastApproved()));
    },
    history(identity, agent) {
      const over = seen(identity, (each) => each !== "pending", agent);
      const sorted = over.toSorted((a, b) => compare(endOf(b), endOf(a)));
      return fitApprovals(sorted.slice(0, maxHistory), show(identity, lastApproved()));
    },
    countForDecision(identity) {
      const counts = new Map<string, number>();
      for (const approval of seen(identity, (each) => each === "pending")) {
        const agent = approval.spec.agentRef?.name;
        if (agent === undefined || approvals.whyNot(approval, identity) !== undefined) continue;
        counts.set(agent, (counts.get(agent) ?? 0) + 1);
      }
      return counts;
    },
    agentsOf({ approvals: names }) {
      const known = approvals.list();
      for (const { metadata, spec } of known) if (spec.agentRef) agents.set(metadata.name, spec.agentRef.name);
      const touched = names.flatMap((name) => agents.get(name) ?? []);
      const live = new Set(known.map(({ metadata }) => metadata.name));
      for (const name of agents.keys()) if (!live.has(name) && !names.includes(name)) agents.delete(name);
      return [...new Set(touched)];
    },
  };
}

const compare = (a: string, b: string): number => (a === b ? 0 : Date.parse(a) < Date.parse(b) ? -1 : 1);

/** When it was decided, or would have expired. */
const endOf = ({ spec: { decision, expiresAt } }: PallasApproval): string => decision?.at ?? expiresAt;

type LastApproved = (approval: PallasApproval) => PallasApproval | undefined;

/** For each approval the last other one of the same agent and tool whose call was let through, as far as they are kept. */
function indexApproved(
  list: readonly PallasApproval[],
  stateOf: (approval: PallasApproval) => ApprovalState,
): LastApproved {
  const byTool = new Map<string, PallasApproval[]>();
  const keyOf = ({ spec }: PallasApproval) => JSON.stringify([spec.agentRef?.name, spec.server, spec.tool]);
  for (const approval of list) {
    const verdict = approval.spec.decision?.verdict;
    if (verdict !== "approve" && verdict !== "approveEdited") continue;
    const state = stateOf(approval);
    if (state !== "used" && state !== "decided") continue;
    const key = keyOf(approval);
    const others = byTool.get(key);
    if (others === undefined) byTool.set(key, [approval]);
    else others.push(approval);
  }
  for (const each of byTool.values()) each.sort((a, b) => compare(endOf(b), endOf(a)));
  return (approval) => {
    const isEarlier = (each: PallasApproval) =>
      each.metadata.name !== approval.metadata.name &&
      (approval.spec.decision === undefined || compare(endOf(each), endOf(approval)) < 0);
    return byTool.get(keyOf(approval))?.find(isEarlier);
  };
}

type Show = (approval: PallasApproval, options?: Pick<ViewParts, "isBrief">) => ShownApproval;

/**
 * As many as there is room for, in that order; where the room gets scarce without long texts, and then marked `left_out`:
 * `resource://approvals/{call_id}` has them.
 */
function fitApprovals(list: readonly PallasApproval[], show: Show): readonly ShownApproval[] {
  const listed: ShownApproval[] = [];
  let bytes = 0;
  const sizeOf = (entry: ShownApproval) => Buffer.byteLength(JSON.stringify(entry)) + 1;
  for (const approval of list) {
    const whole = show(approval);
    const entry = bytes + sizeOf(whole) <= maxWholeBytes ? whole : show(approval, { isBrief: true });
    bytes += sizeOf(entry);
    if (bytes > maxListBytes) break;
    listed.push(entry);
  }
  return listed;
}
