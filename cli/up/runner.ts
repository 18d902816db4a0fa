// The life of one process: wait for those it depends on, start, wait until it is ready, watch it, and after a failure
// start it again, later each time. Ends only when it is told to, and then the process is gone.
import { Backoff } from "../../lib/kube/backoff.ts";
import { sleep, type Clock } from "../../lib/process/clock.ts";
import type { Board } from "./board.ts";
import type { RunningChild } from "./child-process.ts";
import type { Slots } from "./slots.ts";

export const runnerLimits = {
  readyWithinMs: 60_000,
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  /** A process that has been ready for this long starts again without delay after its next failure. */
  steadyAfterMs: 60_000,
} as const;
const readyPollMs = 100;

export interface ProcessPlan {
  key: string;
  /** Keys of those that must be ready first; an edit may change them while it waits. */
  dependencies(): readonly string[];
  /** @throws Error with a message for people when it cannot be started, as on a port in use */
  launch(): Promise<RunningChild>;
  stopGraceMs: number;
}

export interface RunnerContext {
  clock: Clock;
  board: Board;
  /** Bounds how many processes start at once. */
  slots: Slots;
  /** Undefined when the process is ready, else why not. */
  observeReadiness(adminUrl: string, signal: AbortSignal): Promise<string | undefined>;
  /** Runs beside a ready process until the signal. */
  whileReady(key: string, child: RunningChild, signal: AbortSignal): Promise<void>;
  onReady(key: string, afterMs: number): void;
  onTrouble(key: string, message: string, retryMs: number): void;
}

/** Runs until the signal; then stops the process and resolves. */
export async function superviseProcess(plan: ProcessPlan, context: RunnerContext, signal: AbortSignal): Promise<void> {
  const { board, clock } = context;
  const backoff = new Backoff({ initialMs: runnerLimits.firstRetryMs, maxMs: runnerLimits.longestRetryMs });
  while (!signal.aborted) {
    try {
      await waitForDependencies(plan, context, signal);
      const { trouble, readyForMs } = await runOnce(plan, context, signal);
      if (signal.aborted) break;
      if (readyForMs >= runnerLimits.steadyAfterMs) backoff.reset();
      const retryMs = backoff.nextMs();
      board.set(plan.key, { phase: "failing", detail: trouble });
      context.onTrouble(plan.key, trouble, retryMs);
      await sleep(clock, retryMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  board.remove(plan.key);
}

async function waitForDependencies({ key, dependencies }: ProcessPlan, { board }: RunnerContext, signal: AbortSignal) {
  const missing = () => dependencies().filter((dependency) => !board.isReady(dependency));
  if (missing().length === 0) return;
  // A process in trouble stays marked so, until those it needs are there again.
  board.set(key, { phase: "waiting", detail: `waits for ${missing().map(shortName).join(", ")}` });
  await board.until(() => missing().length === 0, signal);
}

/** namespace/name → name, for people. */
export const shortName = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** One life of the process, from its start to its end: why it ended, and how long it was ready. */
async function runOnce(
  plan: ProcessPlan,
  context: RunnerContext,
  signal: AbortSignal,
): Promise<{ trouble: string; readyForMs: number }> {
  const { board, clock } = context;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const giveBack = await context.slots.take(signal);
  let child: RunningChild | undefined;
  let watching: Promise<void> | undefined;
  try {
    const startedAtMs = clock.now();
    child = await plan.launch();
    const { pid, adminUrl } = child;
    const exited = child.exited.finally(() => ended.abort(new Error("the process has ended")));
    board.set(plan.key, { phase: "starting", pid, adminUrl });
    const notReady = await untilReady(adminUrl, context, either);
    if (signal.aborted) return { trouble: "stopped", readyForMs: 0 };
    if (ended.signal.aborted) return { trouble: await exited, readyForMs: 0 };
    if (notReady !== undefined) return { trouble: notReady, readyForMs: 0 };

    giveBack();
    const readyAtMs = clock.now();
    board.set(plan.key, { phase: "ready", pid, adminUrl });
    context.onReady(plan.key, readyAtMs - startedAtMs);
    watching = context.whileReady(plan.key, child, either);
    const trouble = await Promise.race([exited, aborted(signal)]);
    return { trouble, readyForMs: clock.now() - readyAtMs };
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    return { trouble: error.message, readyForMs: 0 };
  } finally {
    giveBack();
    ended.abort(new Error("the process is being stopped"));
    await watching;
    await child?.stop(plan.stopGraceMs);
  }
}

/** Undefined once ready; else why it is not, when the time is up. */
async function untilReady(adminUrl: string, context: RunnerContext, signal: AbortSignal): Promise<string | undefined> {
  const { clock, observeReadiness } = context;
  const deadlineMs = clock.now() + runnerLimits.readyWithinMs;
  for (;;) {
    const reason = await observeReadiness(adminUrl, signal);
    if (reason === undefined || signal.aborted) return undefined;
    if (clock.now() >= deadlineMs) return `is not ready after ${runnerLimits.readyWithinMs / 1_000} s: ${reason}`;
    try {
      await sleep(clock, readyPollMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    }
  }
}

const aborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve("stopped");
    else signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
