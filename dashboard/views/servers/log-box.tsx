// A box with a scroll of its own, in which lines come as they were written.
import type { ComponentChildren, JSX, RefObject } from "preact";

interface LogBoxProps {
  box: RefObject<HTMLDivElement | null>;
  label: string;
  onScroll?: () => void;
  children: ComponentChildren;
}

export const LogBox = ({ box, label, onScroll, children }: LogBoxProps): JSX.Element => (
  <div
    ref={box}
    class="well servers-lines"
    role="log"
    aria-live="off"
    aria-label={label}
    tabIndex={0}
    {...(onScroll !== undefined && { onScroll })}
  >
    {children}
  </div>
);
