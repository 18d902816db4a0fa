// When to stop: Ctrl-C, SIGTERM, a closed terminal, or the end of a program that started us over an IPC channel. The
// second signal hurries the stop where that can be, the next one ends us at once; our processes then end by themselves
// (child-guard.ts).
import { constants } from "node:os";

/** The part of `process` that this needs. */
export interface SignalSource {
  on(event: NodeJS.Signals | "disconnect", listener: () => void): unknown;
  off(event: NodeJS.Signals | "disconnect", listener: () => void): unknown;
  exit(code: number): void;
  connected?: boolean;
}

export interface StopSignal {
  /** Aborted by the first signal. */
  signal: AbortSignal;
  /** Aborted by the second one, where the stop can be hurried. */
  hurry: AbortSignal;
  /** Gives the signals back. */
  release(): void;
}

/** @param options.canHurry without it the second signal ends this process at once */
export function stopSignal(source: SignalSource, { canHurry = false } = {}): StopSignal {
  const controller = new AbortController();
  const hurried = new AbortController();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listeners = names.map((name) => {
    const listener = () => {
      if (!controller.signal.aborted) return controller.abort(new Error(name));
      if (canHurry && !hurried.signal.aborted) return hurried.abort(new Error(name));
      return source.exit(128 + constants.signals[name]);
    };
    source.on(name, listener);
    return { name, listener };
  });
  const onDisconnect = () => controller.abort(new Error("the program that started this has ended"));
  if (source.connected === true) source.on("disconnect", onDisconnect);
  return {
    signal: controller.signal,
    hurry: hurried.signal,
    release() {
      for (const { name, listener } of listeners) source.off(name, listener);
      source.off("disconnect", onDisconnect);
    },
  };
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
