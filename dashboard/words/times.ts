// Times as people read them, in the browser's zone: "now", "12 s", "4 min", "3 h", "yesterday 16:20", "12 Nov"; times left as "7 min
// left"; durations as "0.4 s". All from milliseconds since the epoch, and pure.
import { fill } from "./fill.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const clockWithSeconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayAndYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

const words = {
  now: "now",
  seconds: "{n} s",
  minutes: "{n} min",
  hours: "{n} h",
  yesterday: "yesterday {time}",
  unknown: "unknown",
} as const;

export const tellClock = (at: number): string => (Number.isNaN(at) ? words.unknown : clock.format(at));
export const tellClockWithSeconds = (at: number): string =>
  Number.isNaN(at) ? words.unknown : clockWithSeconds.format(at);
export const tellExact = (at: number): string => (Number.isNaN(at) ? words.unknown : exact.format(at));

/** How long ago; what lies in the future counts as now. */
export function tellAge(at: number, now: number): string {
  if (Number.isNaN(at)) return words.unknown;
  const ageMs = now - at;
  if (ageMs < 5_000) return words.now;
  if (ageMs < minuteMs) return fill(words.seconds, { n: String(Math.floor(ageMs / 5_000) * 5) });
  if (ageMs < hourMs) return fill(words.minutes, { n: Math.floor(ageMs / minuteMs) });
  if (ageMs < 12 * hourMs) return fill(words.hours, { n: Math.floor(ageMs / hourMs) });
  if (isSameDay(at, now)) return clock.format(at);
  if (isSameDay(at, now - 24 * hourMs)) return fill(words.yesterday, { time: clock.format(at) });
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? day.format(at) : dayAndYear.format(at);
}

const isSameDay = (a: number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString();

/** Whole minutes, or seconds in the last minute, rounded up: "7 min", "40 s", and "0 s" once it is over. */
export function tellLeft(until: number, now: number): string {
  const leftMs = Math.max(0, until - now);
  if (leftMs <= minuteMs) return fill(words.seconds, { n: String(Math.ceil(leftMs / 1_000)) });
  if (leftMs <= 2 * hourMs) return fill(words.minutes, { n: Math.ceil(leftMs / minuteMs) });
  return fill(words.hours, { n: Math.ceil(leftMs / hourMs) });
}

/** "9 ms", "0.4 s", "38 s", "4 min". */
export function tellDuration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < minuteMs) return `${Math.round(ms / 1_000)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ${Math.round((ms % minuteMs) / 1_000)} s`;
  return `${Math.floor(ms / hourMs)} h ${Math.round((ms % hourMs) / minuteMs)} min`;
}
