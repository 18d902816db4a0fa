// The field for questions: Enter searches, Shift Enter begins another line, which is another question.
import { useId } from "preact/hooks";
import type { JSX } from "preact";
import { Icon } from "../../parts/icon.tsx";
import { discoverWords as words } from "../../words/discover.ts";

interface QuestionFieldProps {
  value: string;
  onInput(value: string): void;
  onEnter(): void;
}

const maxRows = 6;

export function QuestionField({ value, onInput, onEnter }: QuestionFieldProps): JSX.Element {
  const noteId = useId();
  return (
    <div class="find big discover-field" role="search">
      <Icon name="search" />
      <textarea
        rows={Math.min(maxRows, value.split("\n").length)}
        aria-label={words.field}
        aria-describedby={noteId}
        placeholder={words.field}
        value={value}
        data-find
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onEnter();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      <span id={noteId} class="unseen">
        {words.fieldNote}
      </span>
    </div>
  );
}
