// The life of one process: wait for those it depends on, start, wait until it is ready, watch it, and after a failure
// start it again, later each time. Ends only when it is told to, and then the process is gone.
import { Backoff } from "../../lib/kube/backoff.ts";
import { sleep, type Clock } from "../../lib/process/clock.ts";
import { isStarting, type Board } from "./board.ts";
import type { RunningChild } from "./child-process.ts";
import { shortName } from "./process-keys.ts";
import { aborted } from "./signals.ts";
import type { Slots } from "./slots.ts";

export const runnerLimits = {
  readyWithinMs: 60_000,
  firstRetryMs: 1_000,
  maxRetryMs: 30_000,
  /** A process that has been ready for this long starts again without delay after its next failure. */
  steadyAfterMs: 60_000,
} as const;
const readyPollMs = 100;
/** Most starts are over by then; of others it is worth saying what keeps them. */
const slowStartMs = 3_000;
/** A process that does not answer will not stop by itself either. */
const hungGraceMs = 1_000;

export interface ProcessPlan {
  key: string;
  /** Keys of those that must be ready first; an edit may change them while it waits. */
  dependencies(): readonly string[];
  /** Keys of tool servers that it would miss if it asked them before it is known whether they are there. */
  servers?(): readonly string[];
  /** @throws Error with a message for people when it cannot be started, as on a port in use */
  launch(): Promise<RunningChild>;
  stopGraceMs: number;
  /** In place of the context's, where a process is as it should be long before it is ready for others. */
  observeReadiness?: ObserveReadiness;
}

/** Undefined when the process is ready, else why not. */
type ObserveReadiness = (adminUrl: string, signal: AbortSignal) => Promise<string | undefined>;

export interface RunnerContext {
  clock: Clock;
  board: Board;
  /** Bounds how many processes start at once. */
  slots: Slots;
  observeReadiness: ObserveReadiness;
  /** Runs beside a ready process until the signal, or says why it must be started anew though it has not ended. */
  whileReady(key: string, child: RunningChild, signal: AbortSignal): Promise<string | undefined>;
  /** Runs beside a process that was told to stop, until it has. */
  whileStopping(key: string, child: RunningChild, signal: AbortSignal): Promise<void>;
  /** Aborted when stopping must be quick. */
  hurry: AbortSignal;
  onReady(key: string, afterMs: number): void;
  onTrouble(key: string, message: string, retryMs: number): void;
}

/** Runs until the signal; then stops the process and resolves. */
export async function superviseProcess(plan: ProcessPlan, context: RunnerContext, signal: AbortSignal): Promise<void> {
  const { board, clock } = context;
  const backoff = new Backoff({ initialMs: runnerLimits.firstRetryMs, maxMs: runnerLimits.maxRetryMs });
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

async function waitForDependencies(plan: ProcessPlan, { board }: RunnerContext, signal: AbortSignal) {
  const { key, dependencies, servers = () => [] } = plan;
  const missing = () => [
    ...dependencies().filter((dependency) => !board.isReady(dependency)),
    ...servers().filter((server) => isStarting(board.get(server))),
  ];
  if (missing().length === 0) return;
  // A process in trouble stays marked so, until those it needs are there again.
  board.set(key, { phase: "waiting", detail: `waits for ${missing().map(shortName).join(", ")}` });
  await board.until(() => missing().length === 0, signal);
}

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
  let watching: Promise<string | undefined> | undefined;
  let isHung = false;
  try {
    const startedAtMs = clock.now();
    child = await plan.launch();
    const { pid, adminUrl } = child;
    const exited = child.exited.finally(() => ended.abort(new Error("the process has ended")));
    board.set(plan.key, { phase: "starting", pid, adminUrl });
    const onSlow = (detail: string) => board.set(plan.key, { phase: "starting", pid, adminUrl, detail });
    const { observeReadiness = context.observeReadiness } = plan;
    const notReady = await untilReady(adminUrl, { clock, observeReadiness }, either, onSlow);
    if (signal.aborted) return { trouble: "stopped", readyForMs: 0 };
    if (ended.signal.aborted) return { trouble: await exited, readyForMs: 0 };
    if (notReady !== undefined) return { trouble: notReady, readyForMs: 0 };

    giveBack();
    const readyAtMs = clock.now();
    board.set(plan.key, { phase: "ready", pid, adminUrl });
    context.onReady(plan.key, readyAtMs - startedAtMs);
    const stopped = aborted(signal).then(() => "stopped");
    watching = context.whileReady(plan.key, child, either);
    const hung = watching.then((trouble) => {
      isHung = trouble !== undefined;
      return trouble ?? Promise.race([exited, stopped]);
    });
    const trouble = await Promise.race([exited, stopped, hung]);
    return { trouble, readyForMs: clock.now() - readyAtMs };
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    return { trouble: error.message, readyForMs: 0 };
  } finally {
    giveBack();
    ended.abort(new Error("the process is being stopped"));
    await watching;
    if (child !== undefined && signal.aborted) await stopAsTold(child, plan, context);
    else await child?.stop(isHung ? hungGraceMs : plan.stopGraceMs, context.hurry);
  }
}

async function stopAsTold(
  child: RunningChild,
  { key, stopGraceMs }: ProcessPlan,
  context: RunnerContext,
): Promise<void> {
  const stopped = new AbortController();
  context.board.set(key, { phase: "stopping", pid: child.pid, adminUrl: child.adminUrl });
  const telling = context.whileStopping(key, child, stopped.signal);
  await child.stop(stopGraceMs, context.hurry);
  stopped.abort(new Error("the process has stopped"));
  await telling;
}

/**
 * Undefined once ready, or when the signal is aborted; else why it is not, when the time is up.
 * @param onSlow called with what keeps it, once it takes longer than others do
 */
export async function untilReady(
  adminUrl: string,
  context: Pick<RunnerContext, "clock" | "observeReadiness">,
  signal: AbortSignal,
  onSlow: (reason: string) => void,
): Promise<string | undefined> {
  const { clock, observeReadiness } = context;
  const startedAtMs = clock.now();
  const deadlineMs = startedAtMs + runnerLimits.readyWithinMs;
  let told: string | undefined;
  for (;;) {
    const reason = await observeReadiness(adminUrl, signal);
    if (reason === undefined || signal.aborted) return undefined;
    if (reason !== told && clock.now() >= startedAtMs + slowStartMs) onSlow((told = reason));
    if (clock.now() >= deadlineMs) return `is not ready after ${runnerLimits.readyWithinMs / 1_000} s: ${reason}`;
    try {
      await sleep(clock, readyPollMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    }
  }
}
