// Whether somebody is busy with an element: their pointer is over it, or the focus is somewhere inside.
import { useState } from "preact/hooks";

export interface Inside {
  readonly isInside: boolean;
  /** For the element. */
  readonly holds: {
    onPointerEnter(): void;
    onPointerLeave(): void;
    onFocusIn(): void;
    onFocusOut(event: FocusEvent): void;
  };
}

export function useInside(): Inside {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  return {
    isInside: isPointed || isFocused,
    holds: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      onFocusOut: ({ currentTarget, relatedTarget }) => {
        const staysIn =
          currentTarget instanceof Node && relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!staysIn) setFocused(false);
      },
    },
  };
}
