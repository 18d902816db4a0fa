// After each change of view the focus goes to its heading, which may come later than the view's address, or be put anew: its code is
// loaded, or its data is. As soon as the person does something, the focus is theirs.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useCardPage } from "../page.ts";

/** By then a view is there, or says that it still waits. */
const settledMs = 10_000;

export function useHeadingFocus(main: RefObject<HTMLElement | null>, address: string): void {
  const { time } = useCardPage();
  const isFirst = useRef(true);
  useEffect(() => {
    const { current } = main;
    if (isFirst.current || current === null) {
      isFirst.current = false;
      return undefined;
    }
    current.querySelector<HTMLElement>("h1")?.focus();
    return followHeading(current, (stop) => time.after(settledMs, stop));
  }, [address]);
}

/** Until it is told to stop, or the person presses anything. */
function followHeading(main: HTMLElement, stopLater: (stop: () => void) => () => void): () => void {
  const before = document.activeElement;
  const observer = new MutationObserver(() => {
    const { activeElement: now } = document;
    if (now === document.body || now === before) main.querySelector<HTMLElement>("h1")?.focus();
  });
  const events = ["pointerdown", "keydown", "wheel"] as const;
  const stop = () => {
    observer.disconnect();
    cancel();
    for (const event of events) document.removeEventListener(event, stop, true);
  };
  const cancel = stopLater(stop);
  for (const event of events) document.addEventListener(event, stop, { capture: true, passive: true });
  observer.observe(main, { childList: true, subtree: true });
  return stop;
}
