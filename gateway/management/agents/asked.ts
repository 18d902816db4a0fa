// What agents must be asked for, since no watch tells it: asked once for all who want it at the same time, kept for a moment, and
// asked again and again only while somebody follows. A deadline ends each request, and only so many are under way at once, so
// that a thousand subscribers cost an agent no more than one.
import { renderTime, type Clock, type Timer } from "../../../lib/process/clock.ts";
import { createBoundedRequests } from "./bounded-requests.ts";

/** What an agent answered, or why it did not, and when that was. */
export type Answer<T> = { readonly at: string } & (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string }
);

export interface Asked<T> {
  /** Never rejects. An answer of the last moments is given again. */
  get(agent: string): Promise<Answer<T>>;
  /** Asks from now on, and calls `onChange` when an answer differs from the one before, until what it returns is called. */
  follow(agent: string, onChange: () => void): () => void;
  isFollowed(agent: string): boolean;
  /** The last answer is not given again: something may have changed. */
  outdate(agent: string): void;
  /** Asks now, where somebody follows. */
  refresh(agent: string): void;
  /** Ends all requests; asks nobody any more. */
  close(): void;
}

export interface AskedOptions<T> {
  ask: (agent: string, signal: AbortSignal) => Promise<T>;
  /** How long an answer is given again. */
  keptMs: number;
  /** Between two requests while somebody follows. */
  everyMs: number;
  timeoutMs: number;
  /** Requests under way; further ones wait. */
  maxAtOnce: number;
  clock: Clock;
}

/** Agents whose latest answer is kept; the one that was asked longest ago gives way. */
export const maxKept = 1_024;

export function createAsked<T>(options: AskedOptions<T>): Asked<T> {
  const { keptMs, everyMs, clock } = options;
  const request = createRequest(options);
  const latest = new Map<string, Latest<T>>();
  const followed = new Map<string, { listeners: Set<() => void>; timer: Timer | undefined }>();

  /** Compares every answer with the one before it, whoever asked: somebody may have read that. */
  const note = (own: Latest<T>, agent: string, answer: Answer<T>): Answer<T> => {
    const content = contentOf(answer);
    const isChanged = own.content !== undefined && own.content !== content;
    own.content = content;
    if (isChanged) for (const tell of followed.get(agent)?.listeners ?? []) tell();
    return answer;
  };
  const askAnew = (agent: string): Promise<Answer<T>> => {
    const own = latest.get(agent) ?? { content: undefined, answer: undefined, askedAt: 0 };
    latest.delete(agent);
    latest.set(agent, own);
    const [oldest] = latest.keys();
    if (latest.size > maxKept && oldest !== undefined) latest.delete(oldest);
    own.askedAt = clock.now();
    own.answer = request.run(agent).then((answer) => note(own, agent, answer));
    return own.answer;
  };
  const poll = async (agent: string): Promise<void> => {
    const own = followed.get(agent);
    await askAnew(agent);
    if (own === undefined || followed.get(agent) !== own) return; // Nobody follows any more, or somebody does anew.
    own.timer = clock.schedule(everyMs, () => void poll(agent));
  };
  return {
    async get(agent) {
      const kept = latest.get(agent);
      const isFresh = kept !== undefined && clock.now() - kept.askedAt < keptMs;
      return await ((isFresh ? kept.answer : undefined) ?? askAnew(agent));
    },
    follow(agent, onChange) {
      const own = followed.get(agent) ?? { listeners: new Set(), timer: undefined };
      const tell = () => onChange();
      own.listeners.add(tell);
      if (!followed.has(agent)) {
        followed.set(agent, own);
        void poll(agent);
      }
      return () => {
        own.listeners.delete(tell);
        if (own.listeners.size > 0 || followed.get(agent) !== own) return;
        own.timer?.cancel();
        followed.delete(agent);
      };
    },
    isFollowed: (agent) => followed.has(agent),
    outdate(agent) {
      const kept = latest.get(agent);
      if (kept !== undefined) kept.answer = undefined;
    },
    refresh(agent) {
      if (followed.has(agent)) void askAnew(agent);
    },
    close() {
      for (const { timer } of followed.values()) timer?.cancel();
      followed.clear();
      request.close();
    },
  };
}

interface Latest<T> {
  /** Of the last answer that came. */
  content: string | undefined;
  /** The last that was asked for. */
  answer: Promise<Answer<T>> | undefined;
  askedAt: number;
}

/** Without the time: an answer that says the same is the same. */
const contentOf = <T>(answer: Answer<T>): string => JSON.stringify({ ...answer, at: "" });

/** One request with its deadline, as soon as there is room for it; what it fails with is an answer. */
function createRequest<T>({ ask, timeoutMs, maxAtOnce, clock }: AskedOptions<T>) {
  const requests = createBoundedRequests({ maxAtOnce, timeoutMs, clock });
  const run = async (agent: string): Promise<Answer<T>> => {
    try {
      const value = await requests.run((signal) => ask(agent, signal));
      return { ok: true, value, at: renderTime(clock) };
    } catch (error) {
      const problem = error instanceof Error ? error.message : "it failed";
      return { ok: false, problem, at: renderTime(clock) };
    }
  };
  return { run, close: requests.close };
}
