// What the steps of an approval's life share: where it is kept, by which clock it goes, and what is read of it.
import type { ApprovalDecision, PallasApproval } from "../../crds/approval.ts";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { StateSource } from "../state/state.ts";
import { ApprovalRefused, type ApprovalState } from "./approvals.ts";
import { readDecision } from "./recorded.ts";
import { isTold, nextOf, standingOf } from "./standing.ts";
import { StoreRefused, type ApprovalStore } from "./store.ts";

export interface LifeParts {
  config: Pick<GatewayConfig, "instance" | "approvals">;
  store: ApprovalStore;
  state: Pick<StateSource, "getInstance" | "getAgent" | "getServer" | "observeUnready">;
  log: Logger;
  clock: Clock;
}

export interface Life extends LifeParts {
  /** What counts of its decision. */
  read(approval: PallasApproval): ApprovalDecision | undefined;
  stateOf(approval: PallasApproval): ApprovalState;
  /** What becomes of it by itself, and when. */
  next(approval: PallasApproval): ReturnType<typeof nextOf>;
  find(name: string): PallasApproval | undefined;
}

/** Times that a write is tried anew on a form that somebody else has changed; all but a few change once or twice in all. */
export const maxTries = 8;

export function createLife(parts: LifeParts): Life {
  const { clock, config, store } = parts;
  // Edited arguments are long to check, and all are asked at each change of one.
  const read = remember(readDecision);
  const next = remember((approval) => nextOf(approval, read, config.approvals));
  const ended = remember((approval) => (isTold(approval) ? standingOf(approval, read, 0, 0) : undefined));
  return {
    ...parts,
    read,
    next,
    stateOf: (approval) => ended(approval) ?? standingOf(approval, read, clock.wallNow(), config.approvals.timeoutMs),
    find: (name) => store.list().find(({ metadata }) => metadata.name === name),
  };
}

/** Asks once of each form of an approval, which is another object when it changes. */
function remember<Result>(ask: (approval: PallasApproval) => Result): (approval: PallasApproval) => Result {
  const known = new WeakMap<PallasApproval, { result: Result }>();
  return (approval) => {
    const found = known.get(approval) ?? { result: ask(approval) };
    known.set(approval, found);
    return found.result;
  };
}

export const notFound = (name: string): ApprovalRefused =>
  new ApprovalRefused("not_found", `there is no approval "${name.slice(0, 100)}", or it is not for you to see`);

/** What the store's refusal is to whoever asked. */
export function refuseBy(error: unknown): unknown {
  if (!(error instanceof StoreRefused)) return error;
  const { kind, message: cause } = error;
  if (kind === "away") {
    return new ApprovalRefused("unready", `approvals cannot be written now: ${cause}`, { cause: error });
  }
  if (kind === "gone") {
    return new ApprovalRefused("not_found", "the approval has been deleted meanwhile", { cause: error });
  }
  if (kind === "invalid") {
    return new ApprovalRefused("invalid", `the approval was not taken: ${cause}`, { cause: error });
  }
  return new ApprovalRefused("unready", "the approval is changed by others all the time: try again", { cause: error });
}
