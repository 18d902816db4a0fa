// What the gateway offers about approvals (MGM-6), to its own routes, its management server and its policy: whoever needs one asks
// here and waits, whoever may decide decides here, and what was decided is used once. How it is kept is in the files beside.
import type { ApprovalDecision, PallasApproval } from "../../crds/approval.ts";
import type { ApprovalQuestion, ApprovalUse, CallerAnswer } from "../../crds/approval-wire.ts";
import type { Identity } from "../../lib/auth/roles.ts";

/**
 * Where an approval is. decided: and nobody has used it yet, or it is for its whole session; what was decided holds for
 * `spec.gateway.approvals.timeout` more. expired: without a decision that counts, withdrawn, or not used in time.
 */
export type ApprovalState = "pending" | "decided" | "used" | "expired";

/** Full: too many wait. forbidden: not for this caller. hash: other arguments were looked at. unready: nobody can say now. */
export type ApprovalRefusal =
  | "full"
  | "too-large"
  | "unready"
  | "invalid"
  | "forbidden"
  | "not_found"
  | "decided"
  | "undecided"
  | "used"
  | "expired"
  | "hash";

/** Why an approval was not asked, decided or used, in a sentence for who tried. */
export class ApprovalRefused extends Error {
  override readonly name = "ApprovalRefused";
  readonly kind: ApprovalRefusal;
  /** Of kind decided: what was decided first, by whom and when. */
  readonly decision: ApprovalDecision | undefined;

  constructor(kind: ApprovalRefusal, message: string, options?: ErrorOptions & { decision?: ApprovalDecision }) {
    super(message, options);
    this.kind = kind;
    this.decision = options?.decision;
  }
}

/** What somebody decides; who, when and as which approver is added from their identity. */
export type Verdict = Pick<ApprovalDecision, "verdict" | "argumentsHash"> &
  Partial<Pick<ApprovalDecision, "reason" | "scope" | "arguments" | "answer">>;

export type Outcome =
  | { readonly name: string; readonly outcome: "expired" }
  | { readonly name: string; readonly outcome: "decided"; readonly decision: ApprovalDecision };

/** Which agent asks; without one it is a call through the gateway itself. */
export interface Asker {
  readonly agent?: string;
}

export interface Waiting {
  readonly name: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

export interface AskOptions {
  /** Its abort withdraws the question, when nobody else waits for it. */
  readonly signal: AbortSignal;
  /** Not called where it was decided before. */
  onWaiting?(waiting: Waiting): void;
}

export interface Approvals {
  /** Of this instance, from memory, by name. */
  list(): readonly PallasApproval[];
  get(name: string): PallasApproval | undefined;
  /** Called after each change, until what it returns is called. */
  onChange(listener: () => void): () => void;
  stateOf(approval: PallasApproval): ApprovalState;

  /**
   * Asks, waits and uses: what was decided is this call's alone when it resolves. Of two equal calls at once each gets an answer
   * of its own.
   * @throws ApprovalRefused full, too-large, unready, invalid; the signal's reason once that is aborted
   */
  ask(question: ApprovalQuestion, from: Asker, options: AskOptions): Promise<Outcome>;
  /**
   * The approval that the call waits for: one that is there for the very same call and is not over, or a new one.
   * @throws ApprovalRefused as `ask`
   */
  open(question: ApprovalQuestion, from: Asker): Promise<PallasApproval>;
  /** Resolves when it is decided or over, at once when it is. Uses nothing. Rejects with the signal's reason. */
  wait(name: string, signal: AbortSignal): Promise<Outcome>;
  /**
   * What was decided, for the one who uses it, whose id is `use.use`: the same id is answered as before, another is refused. Of
   * an approval for the whole session everybody is answered who makes the very same call.
   * @throws ApprovalRefused not_found, hash, undecided, used, expired, unready
   */
  use(name: string, use: ApprovalUse): Promise<ApprovalDecision>;
  /**
   * The first verdict wins. Judges role and globs, the rule's approvers, that nobody who is named by a rule decides their own
   * call, hash, expiry, sizes, and edited arguments or answer by the tool's schemas.
   * @throws ApprovalRefused forbidden, not_found, decided, expired, hash, invalid, too-large, unready
   */
  decide(name: string, verdict: Verdict, identity: Identity): Promise<PallasApproval>;
  /** What the caller itself answered, where the rule says askCaller. Throws as `decide`. */
  decideAsCaller(name: string, answer: CallerAnswer): Promise<PallasApproval>;
  /** Whether somebody may decide, as far as that does not hang on what they decide; else the sentence why not. */
  whyNot(approval: PallasApproval, identity: Identity): string | undefined;
  /** Ends one that is not decided; nothing happens while others wait for it. @throws ApprovalRefused not_found, unready */
  withdraw(name: string): Promise<void>;
  /** Ends timers and waits. What waits goes on with the next process. */
  close(): Promise<void>;
}
