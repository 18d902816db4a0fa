// What floats over the page: a dialog in the middle, a sheet at the side. The focus stays inside, Escape closes it, and the focus goes
// back to what opened it.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  title: string;
  /** A sheet slides in at the end of the line and takes the whole height. */
  look?: "dialog" | "sheet";
  /** The title is for screen readers alone. */
  hidesTitle?: boolean;
  onClose(): void;
  children: ComponentChildren;
}

export function Dialog({ title, look = "dialog", hidesTitle = false, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={look}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-inside">
        <h2 id={id} class={hidesTitle ? "unseen" : "dialog-title"}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
