// How every process is doing, in one place: who waits for whom reads it here, and so do the table and the registry's
// state file. It starts and stops nothing.
import type { HealthReport } from "../../crds/health.ts";

export type Phase = "waiting" | "starting" | "ready" | "failing";

export interface ProcessState {
  phase: Phase;
  /** Why it is not ready, in words for people. */
  detail?: string;
  pid?: number;
  adminUrl?: string;
  health?: HealthReport | "unreachable";
}

export class Board {
  private readonly states = new Map<string, ProcessState>();
  private readonly listeners = new Set<() => void>();

  get(key: string): ProcessState | undefined {
    return this.states.get(key);
  }

  isReady(key: string): boolean {
    return this.states.get(key)?.phase === "ready";
  }

  set(key: string, state: ProcessState): void {
    this.states.set(key, state);
    this.announce();
  }

  remove(key: string): void {
    if (this.states.delete(key)) this.announce();
  }

  /** @returns ends the listening */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Resolves as soon as a condition over the board holds.
   * @throws the signal's reason when it is aborted first
   */
  async until(holds: (board: Board) => boolean, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (holds(this)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const stopListening = this.onChange(() => {
      if (holds(this)) resolve();
    });
    try {
      await promise;
    } finally {
      stopListening();
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Lets everybody look again, as when what they wait for has changed. */
  announce(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

/**
 * Whether nothing more will happen by itself soon: every process is ready, in trouble, or waits for one that is.
 */
export function isSettled(board: Board, dependencies: ReadonlyMap<string, readonly string[]>): boolean {
  const stuck = new Set<string>();
  const isStuck = (key: string): boolean => {
    if (stuck.has(key)) return true;
    const state = board.get(key);
    const found =
      state === undefined ||
      state.phase === "failing" ||
      (state.phase === "waiting" &&
        (dependencies.get(key) ?? []).some((next) => !board.isReady(next) && isStuck(next)));
    if (found) stuck.add(key);
    return found;
  };
  return [...dependencies.keys()].every((key) => board.isReady(key) || (board.get(key) !== undefined && isStuck(key)));
}
