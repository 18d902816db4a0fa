// How every process is doing, in one place: who waits for whom reads it here, and so do the table and the registry's
// state file. It starts and stops nothing.
import type { BridgeHealth } from "../../crds/bridge-config.ts";
import type { HealthReport } from "../../crds/health.ts";
import { defined } from "../../lib/process/defined.ts";

export type Phase = "waiting" | "starting" | "ready" | "failing" | "stopping";

export interface ProcessState {
  phase: Phase;
  /** Why it is not ready, in words for people. */
  detail?: string;
  pid?: number;
  adminUrl?: string;
  /** Of an agent. */
  health?: HealthReport | "unreachable";
  /** What a bridge says of its server. */
  bridge?: BridgeHealth | "unreachable";
}

export class Board {
  readonly #states = new Map<string, ProcessState>();
  readonly #listeners = new Set<() => void>();

  get(key: string): ProcessState | undefined {
    return this.#states.get(key);
  }

  keys(): Iterable<string> {
    return this.#states.keys();
  }

  isReady(key: string): boolean {
    return this.#states.get(key)?.phase === "ready";
  }

  set(key: string, state: ProcessState): void {
    this.#states.set(key, state);
    this.announce();
  }

  remove(key: string): void {
    if (this.#states.delete(key)) this.announce();
  }

  /** @returns ends the listening */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    for (const listener of [...this.#listeners]) listener();
  }
}

export interface DescribedState {
  status: Phase | "degraded" | "stopped";
  reason?: string;
}

/** What people and scripts are told: an agent that is up and says itself that it is not well is degraded. */
export function describeState(state: ProcessState | undefined): DescribedState {
  if (state === undefined) return { status: "stopped" };
  const { phase, detail, health, bridge } = state;
  if (phase === "ready" && bridge !== undefined) return describeServer(bridge);
  if (phase !== "ready" || health === undefined || (health !== "unreachable" && health.status === "ok")) {
    return { status: phase, ...defined({ reason: detail }) };
  }
  return { status: "degraded", reason: health === "unreachable" ? "it does not answer" : (health.message ?? "") };
}

/** Whether it will soon be known if a server is there. */
export const isStarting = (state: ProcessState | undefined): boolean =>
  state === undefined ||
  state.phase === "starting" ||
  (state.phase === "ready" && (state.bridge === undefined || describeState(state).status === "starting"));

/** The bridge being up is nothing yet: what counts is the server behind it. */
function describeServer(bridge: BridgeHealth | "unreachable"): DescribedState {
  if (bridge === "unreachable") return { status: "degraded", reason: "it does not answer" };
  const status = { ok: "ready", starting: "starting", down: "failing" } as const;
  return { status: status[bridge.status], ...defined({ reason: bridge.message }) };
}

/**
 * Whether nothing more will happen by itself soon: every process is ready, in trouble, or waits for one that is.
 * @param isKnown whether enough is known of a ready one to tell of it
 */
export function isSettled(
  board: Board,
  dependencies: ReadonlyMap<string, readonly string[]>,
  isKnown: (key: string) => boolean = () => true,
): boolean {
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
  return [...dependencies.keys()].every((key) =>
    board.isReady(key) ? isKnown(key) : board.get(key) !== undefined && isStuck(key),
  );
}
