// What is no resource and is asked for once: again when its key changes, when somebody says so, and when the connection is back after it
// failed. What was there stays meanwhile; an answer to an older question is dropped.
import { useEffect, useState } from "preact/hooks";
import { toProblem, type Problem } from "../connect/problem.ts";
import { usePage } from "../page.ts";

export interface Answer<T> {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly isAsking: boolean;
  again(): void;
}

type Held<T> = Omit<Answer<T>, "again">;

/** @param key of what is asked for; undefined asks nothing */
export function useAnswer<T>(key: string | undefined, ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const { connection } = usePage();
  const [asked, setAsked] = useState(0);
  const [held, setHeld] = useState<Held<T>>({ data: undefined, problem: undefined, isAsking: key !== undefined });
  const hasFailed = held.problem !== undefined;
  const isLive = connection.state.value.kind === "live";
  useEffect(() => {
    if (key === undefined) return undefined;
    const abort = new AbortController();
    setHeld((before) => ({ ...before, isAsking: true }));
    ask(abort.signal).then(
      (data) => !abort.signal.aborted && setHeld({ data, problem: undefined, isAsking: false }),
      (error: unknown) => {
        if (!abort.signal.aborted) setHeld((before) => ({ ...before, problem: toProblem(error), isAsking: false }));
      },
    );
    return () => abort.abort();
  }, [key, asked]);
  useEffect(() => {
    if (isLive && hasFailed) setAsked((count) => count + 1);
    // When it is live again, not when it fails while it is.
  }, [isLive]);
  return { ...held, again: () => setAsked((count) => count + 1) };
}
