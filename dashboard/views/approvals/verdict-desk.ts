// Keeps, for each card that was opened, how far its verdict has come, so that one may go on to the next call while an answer is held; sends
// what the machine says is to be sent, and hears what the gateway answers. A page that is closed, or a sign-in that ends, sends nothing of what is held.
import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Connection } from "../../connect/connection.ts";
import { toProblem, type Problem } from "../../connect/problem.ts";
import { approvalResource, approvalUri, type ShownApproval } from "../../data/approvals.ts";
import type { Announcer } from "../../shell/announcer.ts";
import type { PageTime } from "../../time.ts";
import { plural } from "../../words/fill.ts";
import { verdictWords as words } from "../../words/verdicts.ts";
import { isOver, outcomeOf, tellEnding, tellLate } from "./ending.ts";
import { openCard, step, type Verdict, type VerdictEvent, type VerdictState } from "./verdict-machine.ts";

export interface VerdictDesk {
  /** Of the card that is on the screen; opened where it was not. */
  open(approval: ShownApproval): ReadonlySignal<VerdictState>;
  /** Undefined where its card was never opened. */
  find(callId: string): VerdictState | undefined;
  act(callId: string, event: VerdictEvent, others?: readonly ShownApproval[]): void;
  /** What the gateway says of a call. */
  hear(approval: ShownApproval): void;
  /** Of the others of a run: how their denial went. */
  readonly note: ReadonlySignal<string | undefined>;
  /** Forgets everything: somebody else signed in. */
  clear(): void;
}

export interface DeskParts {
  connection: Pick<Connection, "call" | "read" | "state">;
  time: Pick<PageTime, "elapsed" | "now" | "after">;
  announcer: Announcer;
  /** Who decides here, as decisions have the name. */
  me(): string | undefined;
}

interface Card {
  approval: ShownApproval;
  readonly state: Signal<VerdictState>;
  /** Those to be denied with it. */
  others: readonly ShownApproval[];
  stopTimer: () => void;
}

const maxCards = 64;
const secondMs = 1_000;

export const createVerdictDesk = (parts: DeskParts): VerdictDesk => new Desk(parts);

class Desk implements VerdictDesk {
  readonly #parts: DeskParts;
  readonly #cards = new Map<string, Card>();
  readonly #note = signal<string | undefined>(undefined);

  constructor(parts: DeskParts) {
    this.#parts = parts;
    parts.connection.state.subscribe(({ kind }) => {
      if (kind === "live") return;
      for (const callId of this.#cards.keys()) this.act(callId, { kind: "lost", message: words.lost });
    });
  }

  get note(): ReadonlySignal<string | undefined> {
    return this.#note;
  }

  open(approval: ShownApproval): ReadonlySignal<VerdictState> {
    const known = this.#cards.get(approval.call_id);
    if (known !== undefined) return known.state;
    const opened = openCard(approval.arguments_hash, this.#moment());
    // What was over before it was opened is no news.
    const state = signal(isOver(approval) ? step(opened, this.#tellEnd(approval), this.#moment()).state : opened);
    this.#cards.set(approval.call_id, { approval, state, others: [], stopTimer: () => undefined });
    this.#forget();
    return state;
  }

  find(callId: string): VerdictState | undefined {
    return this.#cards.get(callId)?.state.value;
  }

  act(callId: string, event: VerdictEvent, others?: readonly ShownApproval[]): void {
    const card = this.#cards.get(callId);
    if (card === undefined) return;
    if (others !== undefined) card.others = others;
    const before = card.state.peek();
    const { state, send } = step(before, event, this.#moment());
    if (state === before) return;
    card.state.value = state;
    if (state.step.kind !== before.step.kind) {
      this.#announce(before, state);
      card.stopTimer();
    }
    if (state.step.kind === "held" && (event.kind === "time" || before.step.kind !== "held")) this.#tick(callId, card);
    if (send !== undefined) void this.#send(callId, card, send);
  }

  hear(approval: ShownApproval): void {
    const card = this.#cards.get(approval.call_id);
    if (card === undefined) return;
    const before = card.state.peek().step.kind;
    card.approval = approval;
    if (isOver(approval)) {
      this.act(approval.call_id, this.#tellEnd(approval));
      // The same once more is no change: presses go on to count.
    } else if (approval.arguments_hash !== card.state.peek().hash) {
      this.act(approval.call_id, { kind: "shown", hash: approval.arguments_hash });
    }
    if (before !== "over") this.#sayEnding(card);
  }

  clear(): void {
    for (const { stopTimer } of this.#cards.values()) stopTimer();
    this.#cards.clear();
    this.#note.value = undefined;
  }

  #moment() {
    const { time } = this.#parts;
    return { elapsedMs: time.elapsed(), serverMs: time.now() };
  }

  #tick(callId: string, card: Card): void {
    const { step } = card.state.peek();
    if (step.kind !== "held") return;
    const leftMs = step.sendAtMs - this.#parts.time.elapsed();
    // To the next whole second.
    const waitMs = Math.max(1, Math.ceil(leftMs - (step.leftSeconds - 1) * secondMs));
    card.stopTimer = this.#parts.time.after(waitMs, () => this.act(callId, { kind: "time" }));
  }

  #tell(approval: ShownApproval): string {
    return tellEnding(approval, this.#parts.me(), this.#parts.time.now());
  }

  #sayEnding({ approval, state }: Card): void {
    const { step } = state.peek();
    if (step.kind !== "over") return;
    this.#parts.announcer.sayNow([this.#tell(approval), tellLate(step.ending)].filter(Boolean).join(" "));
  }

  #tellEnd(approval: ShownApproval): VerdictEvent {
    const isDecided = outcomeOf(approval, this.#parts.time.now()) === "decided";
    const by = !isDecided ? "nobody" : approval.decision?.by === this.#parts.me() ? "me" : "other";
    const at = Date.parse((by === "nobody" ? undefined : approval.decision?.at) ?? approval.expires_at);
    return { kind: "ended", by, at };
  }

  async #send(callId: string, card: Card, verdict: Verdict): Promise<void> {
    const { hash } = card.state.peek();
    try {
      const { structured } = await this.#parts.connection.call("agents_approve_request", toCall(callId, hash, verdict));
      const told = readAnswered(structured);
      if (told !== undefined) card.approval = told;
      this.act(callId, { kind: "taken" });
      const { step } = card.state.peek();
      if (step.kind !== "over" || step.ending.kind !== "mine") return;
      this.#parts.announcer.sayNow(this.#tell(card.approval));
      if (verdict.isOfRun === true) await this.#denyOthers(card.others, verdict);
    } catch (error) {
      await this.#hearRefusal(callId, toProblem(error));
    }
  }

  /** Who was first is what the gateway knows now; what it does not know, is said as it is. */
  async #hearRefusal(callId: string, problem: Problem): Promise<void> {
    const isUnsure = problem.kind !== "refused" && problem.kind !== "forbidden" && problem.kind !== "gone";
    const text: string = isUnsure ? words.unsure : words.notTaken;
    const message = text.replace("{reason}", problem.message);
    const now = await this.#read(callId);
    if (now !== undefined) this.hear(now);
    const card = this.#cards.get(callId);
    if (card?.state.peek().step.kind !== "sending") return;
    // It is not what was sent from here that the gateway took.
    const isDecided = !isUnsure && now !== undefined && isOver(now);
    this.act(callId, { kind: "refused", message, isDecided });
    if (isDecided) this.#sayEnding(card);
    else if (now !== undefined) this.hear(now);
    if (this.find(callId)?.problem === message) this.#parts.announcer.sayNow(message);
  }

  async #read(callId: string): Promise<ShownApproval | undefined> {
    try {
      return approvalResource.parse(await this.#parts.connection.read(approvalUri(callId)));
    } catch {
      return undefined;
    }
  }

  async #denyOthers(others: readonly ShownApproval[], verdict: Verdict): Promise<void> {
    let denied = 0;
    const refusals: string[] = [];
    for (const { call_id, arguments_hash } of others) {
      try {
        await this.#parts.connection.call("agents_approve_request", toCall(call_id, arguments_hash, verdict));
        denied += 1;
      } catch (error) {
        refusals.push(toProblem(error).message);
      }
    }
    const [reason] = refusals;
    const left = reason === undefined ? [] : [plural(words.runLeft, refusals.length, { reason })];
    this.#note.value = [plural(words.runDenied, denied), ...left].join(" ");
    this.#parts.announcer.sayNow(this.#note.value);
  }

  #announce(before: VerdictState, { step }: VerdictState): void {
    if (step.kind === "held") {
      this.#parts.announcer.sayNow(words.held[step.verdict.decision]);
    } else if (before.step.kind === "held" && step.kind !== "sending" && step.kind !== "over") {
      this.#parts.announcer.sayNow(words.undone);
    }
  }

  /** The oldest whose verdict is not on its way. */
  #forget(): void {
    if (this.#cards.size <= maxCards) return;
    for (const [callId, { state }] of this.#cards) {
      const { kind } = state.peek().step;
      if (kind === "held" || kind === "sending") continue;
      this.#cards.delete(callId);
      return;
    }
  }
}

/** What is undefined is left out on the way. */
function toCall(callId: string, hash: string, verdict: Verdict): Record<string, unknown> {
  const { decision, scope, reason, answer, arguments: edited } = verdict;
  return { call_id: callId, arguments_hash: hash, decision, scope, reason, answer, arguments: edited };
}

function readAnswered(structured: Readonly<Record<string, unknown>> | undefined): ShownApproval | undefined {
  try {
    return approvalResource.parse(JSON.stringify(structured?.["approval"]));
  } catch {
    return undefined;
  }
}
