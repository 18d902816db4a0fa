// Ages, times left and times of day, by the server's clock: repainted from one timer, exact on hover and focus.
import { useCardPage } from "../page.ts";
import { tellAge, tellExact } from "../words/times.ts";

const fineBelowMs = 90_000;

/** How long ago, as "12 s", "4 min", "yesterday 16:20". */
export function Age({ at }: { at: string }) {
  const { time } = useCardPage();
  const then = Date.parse(at);
  const isFine = Math.abs(time.now() - then) < fineBelowMs;
  const now = isFine ? time.fine.value : time.coarse.value;
  return (
    <time dateTime={at} title={tellExact(then)} class="tabular">
      {tellAge(then, now)}
    </time>
  );
}
