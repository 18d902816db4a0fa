// When to stop: Ctrl-C, SIGTERM, a closed terminal, or the end of a program that started us over an IPC channel. The
// second signal ends us at once; our processes then end by themselves (child-guard.ts).
import { constants } from "node:os";

/** The part of `process` that this needs. */
export interface SignalSource {
  on(event: NodeJS.Signals | "disconnect", listener: () => void): unknown;
  off(event: NodeJS.Signals | "disconnect", listener: () => void): unknown;
  exit(code: number): void;
  connected?: boolean;
}

/** Aborted by the first signal. `release` gives the signals back. */
export function stopSignal(source: SignalSource): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listeners = names.map((name) => {
    const listener = () => {
      if (controller.signal.aborted) source.exit(128 + constants.signals[name]);
      controller.abort(new Error(name));
    };
    source.on(name, listener);
    return { name, listener };
  });
  const onDisconnect = () => controller.abort(new Error("the program that started this has ended"));
  if (source.connected === true) source.on("disconnect", onDisconnect);
  return {
    signal: controller.signal,
    release() {
      for (const { name, listener } of listeners) source.off(name, listener);
      source.off("disconnect", onDisconnect);
    },
  };
}
