// Ordered shutdown: on SIGTERM or SIGINT the steps that were added run one after the other, the last added first, each with a deadline.
// A second signal hurries the step that runs where it said that it can end early, and else ends the process at once. It never ends
// the process by itself: the caller does, after `finished`.
import { constants } from "node:os";
import type { Logger } from "./log.ts";

/** One thing to close. `signal` aborts at the step's deadline, and when a step that ends early is hurried. */
export type ShutdownStep = (signal: AbortSignal) => void | Promise<void>;

export interface StepOptions {
  deadlineMs?: number;
  endsEarly?: boolean;
}

export interface Shutdown {
  /** Aborts as soon as shutdown begins; its reason names the cause. */
  readonly signal: AbortSignal;
  /** Resolves, never rejects, when every step has ended or was left behind. `failed` names the steps that threw or were late. */
  readonly finished: Promise<{ failed: readonly string[] }>;
  /**
   * `deadlineMs` overrides the default for this step; `endsEarly` says that it ends soon in good order when its signal aborts.
   * Throws once shutdown has finished, since the step would never run.
   */
  add(name: string, step: ShutdownStep, options?: StepOptions): void;
  /** Begins without a signal, as after a fatal error. Further calls do nothing. */
  begin(reason: string): void;
}

/** Takes over SIGTERM and SIGINT until shutdown has finished. `deadlineMs` is each step's default. */
export function createShutdown(options: { log: Logger; deadlineMs: number }): Shutdown {
  const { log } = options;
  const controller = new AbortController();
  const finished = Promise.withResolvers<{ failed: readonly string[] }>();
  const steps: { name: string; step: ShutdownStep; deadlineMs: number; endsEarly: boolean }[] = [];
  const hurry = new AbortController();
  let canHurry = false;
  let state: "running" | "stopping" | "finished" = "running";

  const runSteps = async () => {
    const failed: string[] = [];
    for (let next = steps.pop(); next !== undefined; next = steps.pop()) {
      canHurry = next.endsEarly && !hurry.signal.aborted;
      const error = await runStep(next, next.endsEarly ? hurry.signal : undefined);
      canHurry = false;
      if (error === undefined) continue;
      failed.push(next.name);
      log.error({ step: next.name, err: error }, "shutdown step failed");
    }
    state = "finished";
    for (const name of ["SIGTERM", "SIGINT"] as const) process.off(name, onSignal);
    log.info({ failed }, "shutdown finished");
    finished.resolve({ failed });
  };

  const begin = (reason: string) => {
    if (state !== "running") return;
    state = "stopping";
    log.info({ reason, steps: steps.length }, "shutdown begins");
    controller.abort(new Error(`shutting down: ${reason}`));
    void runSteps();
  };

  function onSignal(name: NodeJS.Signals): void {
    if (state === "running") return begin(name);
    if (canHurry) {
      canHurry = false;
      log.warn({ reason: name }, "second signal, ending what runs");
      return hurry.abort(new Error(`hurried by ${name}`));
    }
    log.warn({ reason: name }, "second signal, exiting immediately");
    process.exit(128 + (constants.signals[name] ?? 0));
  }
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, onSignal);

  return {
    signal: controller.signal,
    finished: finished.promise,
    add(name, step, stepOptions) {
      if (state === "finished") {
        throw new Error(`shutdown step "${name}" was added after shutdown had finished: add it earlier`);
      }
      const { deadlineMs = options.deadlineMs, endsEarly = false } = stepOptions ?? {};
      steps.push({ name, step, deadlineMs, endsEarly });
    },
    begin,
  };
}

/** Runs one step; gives its error, or an error saying that it was late, or undefined. */
async function runStep(
  { step, deadlineMs }: { step: ShutdownStep; deadlineMs: number },
  hurried: AbortSignal | undefined,
): Promise<unknown> {
  const deadline = new AbortController();
  const late = Promise.withResolvers<Error>();
  const timer = setTimeout(() => {
    const error = new Error(`not done after ${deadlineMs} ms, left behind`);
    deadline.abort(error);
    late.resolve(error);
  }, deadlineMs);
  const signal = hurried === undefined ? deadline.signal : AbortSignal.any([deadline.signal, hurried]);
  const outcome = Promise.resolve()
    .then(() => step(signal))
    .then(
      () => undefined,
      (error: unknown) => error ?? new Error("the step threw undefined"),
    );
  const result = await Promise.race([outcome, late.promise]);
  clearTimeout(timer);
  return result;
}
