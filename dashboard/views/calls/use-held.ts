// A list that grows at its top, held still while somebody reads it: while they point at it, have the focus in it, or have scrolled past its
// beginning. What came meanwhile is counted, and shown when they are back at the top or ask for it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { useInside, type Inside } from "../../parts/use-inside.ts";

export interface Held<Item> {
  readonly shown: readonly Item[];
  /** How many came since. */
  readonly waiting: number;
  show(): void;
  readonly holds: Inside["holds"];
}

/** @param frame its beginning above the window counts as being read further down */
export function useHeld<Item extends { readonly id: number }>(
  items: readonly Item[],
  frame: RefObject<HTMLElement | null>,
): Held<Item> {
  const { isInside, holds } = useInside();
  const isBelow = useIsBelow(frame);
  const [shown, setShown] = useState(items);
  const isHeld = (isInside || isBelow) && shown.length > 0;
  useEffect(() => {
    if (!isHeld) setShown(items);
  }, [items, isHeld]);
  const newest = shown[0]?.id ?? 0;
  return {
    shown,
    waiting: isHeld ? items.filter(({ id }) => id > newest).length : 0,
    show: () => {
      setShown(items);
      frame.current?.scrollIntoView({ block: "start" });
    },
    holds,
  };
}

function useIsBelow(frame: RefObject<HTMLElement | null>): boolean {
  const [isBelow, setBelow] = useState(false);
  const before = useRef(false);
  useEffect(() => {
    const read = () => {
      const now = (frame.current?.getBoundingClientRect().top ?? 0) < 0;
      if (now !== before.current) setBelow(now);
      before.current = now;
    };
    window.addEventListener("scroll", read, { passive: true });
    return () => window.removeEventListener("scroll", read);
  }, [frame]);
  return isBelow;
}
