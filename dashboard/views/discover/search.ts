// The search as one types: asked a moment after the last key, or at once; what an older question brings is dropped.
import { signal, type ReadonlySignal } from "@preact/signals";
import { toProblem, type Problem } from "../../connect/problem.ts";
import type { PageTime } from "../../time.ts";
import { questionsOf, type Intent } from "./found.ts";

export interface SearchState {
  /** What was asked last; "" before the first question. */
  readonly asked: string;
  readonly isAsking: boolean;
  /** Of the last question that was answered; stays while the next one is asked. */
  readonly intents: readonly Intent[] | undefined;
  readonly tookMs: number;
  readonly problem: Problem | undefined;
}

export interface Search {
  readonly state: ReadonlySignal<SearchState>;
  type(text: string): void;
  /** Without waiting, also for the same once more. */
  now(text: string): void;
  stop(): void;
}

export const afterKeyMs = 150;

const idle: SearchState = { asked: "", isAsking: false, intents: undefined, tookMs: 0, problem: undefined };

interface SearchParts {
  time: Pick<PageTime, "after" | "elapsed">;
  ask(questions: readonly string[], signal: AbortSignal): Promise<readonly Intent[]>;
  /** The question that is asked now. */
  onAsk?(text: string): void;
}

export function createSearch({ time, ask, onAsk }: SearchParts): Search {
  const state = signal<SearchState>(idle);
  let cancel = () => {};
  let running = new AbortController();
  const now = (text: string) => {
    cancel();
    running.abort();
    running = new AbortController();
    const { signal: aborted } = running;
    const questions = questionsOf(text);
    onAsk?.(text);
    if (questions.length === 0) {
      state.value = idle;
      return;
    }
    const before = state.peek();
    // Asked once more for the same, a problem stands until there is an answer: since when it is, is kept.
    const problem = text === before.asked ? before.problem : undefined;
    state.value = { ...before, asked: text, isAsking: true, problem };
    const startedMs = time.elapsed();
    const settle = (found: Partial<SearchState>) => {
      if (aborted.aborted) return;
      state.value = { ...state.peek(), isAsking: false, tookMs: time.elapsed() - startedMs, ...found };
    };
    ask(questions, aborted).then(
      (intents) => settle({ intents, problem: undefined }),
      (error: unknown) => settle({ problem: toProblem(error), intents: undefined }),
    );
  };
  return {
    state,
    now,
    type(text) {
      cancel();
      // White space alone is no other question.
      if (text.trim() === state.peek().asked.trim()) return;
      cancel = time.after(afterKeyMs, () => now(text));
    },
    stop() {
      cancel();
      running.abort();
    },
  };
}
