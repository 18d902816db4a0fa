// Changes that come again and again, made into few: each name is looked at a moment after its first change, and while it is held not again,
// however often it changes. What changes all the time is behind by that while, and holds up no other.
import type { Clock, Timer } from "../../lib/process/clock.ts";

export interface SettledOptions {
  clock: Clock;
  /** From a change until it is looked at. */
  settleMs: number;
  look: (name: string) => void;
}

export interface Settled {
  note(name: string): void;
  /** Looks at it not before so long from now. */
  hold(name: string, forMs: number): void;
  close(): void;
}

/** Names are those of resources, so that there are as many. Forget one by letting `look` find it gone. */
export function createSettled({ clock, settleMs, look }: SettledOptions): Settled {
  const timers = new Map<string, Timer>();
  const notBefore = new Map<string, number>();
  let isClosed = false;
  const forgetOld = () => {
    for (const [name, time] of notBefore) if (time <= clock.now()) notBefore.delete(name);
  };
  return {
    note(name) {
      if (isClosed || timers.has(name)) return;
      const delayMs = Math.max(settleMs, (notBefore.get(name) ?? 0) - clock.now());
      const run = () => {
        timers.delete(name);
        forgetOld();
        look(name);
      };
      timers.set(name, clock.schedule(delayMs, run));
    },
    hold: (name, forMs) => void notBefore.set(name, clock.now() + forMs),
    close() {
      isClosed = true;
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
