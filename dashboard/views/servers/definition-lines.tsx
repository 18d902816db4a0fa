// The lines of a difference: with + and − and not by colour alone, whole, with hidden characters named. Only equal lines may be folded.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { foldEqual, type DifferenceLine } from "../../parts/line-difference.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { plural } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import type { FieldDifference } from "./definition-difference.ts";

export const DefinitionDifference = ({ fields }: { fields: readonly FieldDifference[] }): JSX.Element => (
  <div class="stack">
    {fields.map(({ field, lines }) => (
      <div key={field} class="well servers-difference">
        <p class="servers-field">
          <ValueText text={field} />
        </p>
        {foldEqual(lines, ({ kind }) => kind === "equal").map((run, index) =>
          run.kind === "shown" ? (
            run.items.map((line, at) => <Line key={`${index} ${at}`} line={line} />)
          ) : (
            <Folded key={index} lines={run.items} />
          ),
        )}
      </div>
    ))}
  </div>
);

const signs = { equal: " ", added: "+", removed: "−" } as const;
const unseen = { equal: "", added: words.addedLine, removed: words.removedLine } as const;

const Line = ({ line: { kind, text } }: { line: DifferenceLine }): JSX.Element => (
  <p class={`servers-line ${kind}`}>
    <span aria-hidden="true">{signs[kind]}</span>
    <span>
      <span class="unseen">{unseen[kind]}</span>
      <ValueText text={text} />
    </span>
  </p>
);

function Folded({ lines }: { lines: readonly DifferenceLine[] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) {
    return (
      <>
        {lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </>
    );
  }
  return (
    <button type="button" class="servers-fold" onClick={() => setOpen(true)}>
      {plural(words.equalLines, lines.length)}
    </button>
  );
}
