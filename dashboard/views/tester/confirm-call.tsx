// The second step before a tool that says that it may delete is called: its button is not where the first press was, and does nothing in its
// first moment, so that no double press gets through. Enter in a field never presses it.
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { fill } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";

const deadTimeMs = 600;

export function ConfirmCall({ name, onConfirm, onLeave }: { name: string; onConfirm(): void; onLeave(): void }) {
  const { time, announcer } = usePage();
  const sinceMs = useRef(time.elapsed());
  const element = useRef<HTMLDivElement>(null);
  const title = fill(words.confirmTitle, { name });
  useEffect(() => {
    announcer.sayNow(title);
    element.current?.querySelector("button")?.focus();
  }, []);
  return (
    <div
      ref={element}
      class="tester-confirm"
      role="group"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onLeave();
      }}
    >
      <p class="strong">{title}</p>
      <div class="row wrap">
        <Button onPress={onLeave}>{words.confirmNo}</Button>
        <span class="space" />
        <Button
          look="red"
          onPress={() => {
            if (time.elapsed() - sinceMs.current >= deadTimeMs) onConfirm();
          }}
        >
          {fill(words.confirm, { name })}
        </Button>
      </div>
    </div>
  );
}
