// What sources publish for a question, page by page: a new question begins anew, and what an older one brings is dropped.
import { useEffect, useRef, useState } from "preact/hooks";
import { toProblem, type Problem } from "../../connect/problem.ts";
import { usePage } from "../../page.ts";
import * as z from "zod";
import { browsedSchema, type Browsed } from "./published.ts";

/** Beyond it somebody should ask more exactly. */
const maxPages = 25;

const refusal = z.looseObject({ error: z.literal("not_configured") });
export const isNotConfigured = (problem: Problem): boolean => refusal.safeParse(problem.data).success;

export interface Browsing {
  readonly pages: readonly Browsed[];
  readonly problem: Problem | undefined;
  readonly isAsking: boolean;
  /** Undefined where there is no more. */
  readonly more: (() => void) | undefined;
  again(): void;
}

export function useBrowse(query: string): Browsing {
  const { rest } = usePage();
  const [pages, setPages] = useState<readonly Browsed[]>([]);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const running = useRef(new AbortController());
  const ask = (cursor: string | undefined) => {
    running.current.abort();
    const abort = new AbortController();
    running.current = abort;
    // A problem stands until there is an answer, so that since when it is, and how often it was tried, is kept.
    setAsking(true);
    const values = new URLSearchParams({ query, limit: "20", ...(cursor !== undefined && { cursor }) });
    const end = (act: () => void) => {
      if (abort.signal.aborted) return;
      setAsking(false);
      act();
    };
    rest({ path: `/api/browse?${values.toString()}`, schema: browsedSchema, signal: abort.signal }).then(
      (page) =>
        end(() => {
          setProblem(undefined);
          setPages((before) => (cursor === undefined ? [page] : [...before, page]));
        }),
      (error: unknown) => end(() => setProblem(toProblem(error))),
    );
  };
  useEffect(() => {
    setPages([]);
    setProblem(undefined);
    setAsking(false);
    if (query !== "") ask(undefined);
    return () => running.current.abort();
  }, [query]);
  const next = pages.at(-1)?.next_cursor ?? undefined;
  const canGoOn = next !== undefined && pages.length < maxPages;
  const again = () => ask(next);
  return { pages, problem, isAsking, more: canGoOn ? again : undefined, again };
}
