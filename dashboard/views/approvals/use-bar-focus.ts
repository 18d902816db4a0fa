// Keeps the focus where somebody works in the bar of answers: when its content changes under the focus, or by their own press, the focus goes
// to what the new content names as first. What others do never takes it from elsewhere.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";

export interface BarFocus {
  readonly bar: RefObject<HTMLElement | null>;
  /** After a press by a key that changed the bar from outside of it. */
  claim(): void;
  /** What the content names as first has come only now. */
  again(): void;
  readonly holds: { onFocusIn(): void; onFocusOut(event: FocusEvent): void };
}

/** Marks what gets the focus; without it the bar itself does, in which Enter decides nothing. */
export const firstClass = "approvals-first";

export function useBarFocus(content: string): BarFocus {
  const bar = useRef<HTMLElement>(null);
  const isInside = useRef(false);
  const isClaimed = useRef(false);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!isFirst.current && (isInside.current || isClaimed.current)) focusFirst(bar.current);
    isFirst.current = false;
    isClaimed.current = false;
  }, [content]);
  return {
    bar,
    claim: () => (isClaimed.current = true),
    again: () => {
      if (isInside.current) focusFirst(bar.current);
    },
    holds: {
      onFocusIn: () => (isInside.current = true),
      onFocusOut: ({ currentTarget, relatedTarget, target }) => {
        const isWithin =
          currentTarget instanceof Node && relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (isWithin) return;
        // What is being taken out of the page loses its focus to nobody, and is still in it at this moment.
        queueMicrotask(() => {
          if (target instanceof Node && target.isConnected) isInside.current = false;
        });
      },
    },
  };
}

function focusFirst(bar: HTMLElement | null): void {
  const first = bar?.querySelector<HTMLElement>(`.${firstClass}`) ?? bar;
  const field =
    first?.matches("button, a, p, footer") === true ? first : first?.querySelector<HTMLElement>("textarea, input");
  field?.focus();
}
