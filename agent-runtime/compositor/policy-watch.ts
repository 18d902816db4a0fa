// Looks whether other rules hold than before, while somebody hears of changes of the compositor's lists, which are other lists then:
// the file that has the rules tells nobody of changes.
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { ReadLiveConfig } from "../inputs/live-config.ts";

/** How late a change is heard of at most. */
export const lookEveryMs = 5_000;

export interface PolicyWatch {
  /** Looks now. Never rejects. */
  look(): Promise<void>;
  /** Looks from time to time until what it returns is called. */
  follow(): () => void;
  close(): void;
}

export function watchPolicy(readLive: ReadLiveConfig, clock: Clock, onChanged: () => void): PolicyWatch {
  let known: { text: string | undefined } | undefined;
  let timer: Timer | undefined;
  const look = async () => {
    const { policy } = await readLive();
    const text = policy && JSON.stringify(policy);
    const isOther = known !== undefined && known.text !== text;
    known = { text };
    if (isOther) onChanged();
  };
  const schedule = () => {
    timer = clock.schedule(lookEveryMs, () => {
      void look();
      schedule();
    });
  };
  const close = () => {
    timer?.cancel();
    timer = undefined;
  };
  return {
    look,
    follow() {
      void look();
      if (timer === undefined) schedule();
      return close;
    },
    close,
  };
}
