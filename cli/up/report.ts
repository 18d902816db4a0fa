// What `pallas up` tells of a run, as events: how they are shown is decided by text-report.ts, for people, and
// json-report.ts, for scripts.
import type { Diagnostic } from "../manifests/diagnostic.ts";
import type { Board } from "./board.ts";
import type { Desired } from "./desired.ts";
import type { Changes } from "./supervisor.ts";

/** What should run, and how it is. */
export interface RunState {
  desired: Desired;
  board: Board;
  registryUrl: string;
}

export interface UpReport {
  /** Everything that is wrong with the manifests as they are now. */
  judged(diagnostics: readonly Diagnostic[]): void;
  edited(changes: Changes): void;
  /** Some process is in another state than before. */
  changed(state: RunState): void;
  ready(key: string, url: string, afterMs: number): void;
  /** @param waiting keys of those that wait for it */
  inTrouble(key: string, message: string, retryMs: number, waiting: readonly string[]): void;
  /**
   * Every process is ready, or has said why not.
   * @param token of the run's user, for whoever looks at a terminal and for nobody else
   */
  settled(state: RunState, token: string): void;
  stopping(): void;
  /** Anything else. */
  say(text: string): void;
}
