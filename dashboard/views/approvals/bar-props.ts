// What the bar of answers and each of its contents are given.
import type { ShownApproval } from "../../data/approvals.ts";
import type { CardPlace } from "./place.ts";
import type { BarFocus } from "./use-bar-focus.ts";
import type { Verdict, VerdictEvent, VerdictState } from "./verdict-machine.ts";

export interface BarProps {
  readonly approval: ShownApproval;
  readonly state: VerdictState;
  readonly place: CardPlace;
  readonly focus: BarFocus;
  /** Who decides here, as decisions have the name. */
  readonly me: string | undefined;
  /** Why this person decides nothing of it; undefined: they may. */
  readonly mayNot: string | undefined;
  /** Why nothing can be decided just now. */
  readonly offBecause: string | undefined;
  /** Why approving takes a second step; empty: it does not. */
  readonly cautions: readonly string[];
  /** Others that wait and came the same way. */
  readonly othersOfRun: readonly ShownApproval[];
  /** The next that waits for this person, and how many do. */
  readonly next: { readonly callId: string; readonly count: number } | undefined;
  /** How the denial of the others of the run went. */
  readonly note: string | undefined;
  act(event: VerdictEvent): void;
  /** Approves by as many steps as it takes. */
  approve(verdict: Verdict): void;
  /** Sends another version, which is what `text` says. */
  approveVersion(version: Readonly<Record<string, unknown>>, text: string): void;
}
