// Moments as the card tells them inside of a sentence: "today 11:40", "yesterday 16:20", "3 Nov". Pure.
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import { tellAge, tellClock } from "../../words/times.ts";

export function tellWhen(at: string | undefined, now: number): string {
  const then = Date.parse(at ?? "");
  const isToday = new Date(then).toDateString() === new Date(now).toDateString();
  return isToday ? fill(words.today, { time: tellClock(then) }) : tellAge(then, now);
}
