// One value of a call, whole and as data: texts over real lines, hidden characters and deceptive host names named, pictures behind a button,
// and in changed texts the lines that came and went.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { findHidden } from "../../parts/hidden-characters.ts";
import { foldEqual, type DifferenceLine } from "../../parts/line-difference.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill, plural } from "../../words/fill.ts";
import { tellSize } from "../../words/sizes.ts";
import { readDataPicture } from "./data-picture.ts";
import { isEasilyMistaken, type Leaf } from "./difference.ts";
import { findDeceptiveHosts } from "./host-names.ts";

export const LeafValue = ({ leaf }: { leaf: Leaf }) =>
  leaf.text === "" ? <bdi class="value">""</bdi> : <ValueText text={leaf.text} />;

/** What a reader could miss in it, as notes. */
export function listNotes(leaf: Leaf): string[] {
  const names = findHidden(leaf.text).flatMap((piece) =>
    piece.kind === "hidden" ? `${piece.code}, ${piece.name}` : [],
  );
  const notes: string[] =
    names.length === 0 ? [] : [fill(words.hiddenCharacters, { names: [...new Set(names)].join("; ") })];
  for (const host of findDeceptiveHosts(leaf.text)) notes.push(fill(words.deceptive, { ...host }));
  if (leaf.kind === "empty") notes.push(leaf.text === "{}" ? words.emptyObject : words.emptyList);
  if (leaf.text === "" && leaf.kind === "string") notes.push(words.emptyText1);
  else if (isEasilyMistaken(leaf)) notes.push(words.isText);
  return notes;
}

export function PictureOf({ leaf, name }: { leaf: Leaf; name: string }) {
  const [isShown, setShown] = useState(false);
  const picture = leaf.kind === "string" ? readDataPicture(leaf.text) : undefined;
  if (picture === undefined) return null;
  return (
    <div class="approvals-picture">
      <Button small icon="picture" expanded={isShown} onPress={() => setShown(!isShown)}>
        {isShown ? words.hidePicture : fill(words.showPicture, { size: tellSize(picture.bytes) })}
      </Button>
      {isShown && <img src={picture.url} alt={fill(words.picture, { name })} />}
    </div>
  );
}

/** Equal ones that may be folded, behind a button that says how many. */
export function Folded({ word, children }: { word: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <>{children}</>;
  return (
    <button type="button" class="approvals-fold" aria-expanded={false} onClick={() => setOpen(true)}>
      {word}
    </button>
  );
}

const signs = { added: "+", removed: "−", equal: "" } as const;

function Line({ kind, text }: DifferenceLine) {
  return (
    <div class={`approvals-line ${kind}`}>
      <span class="approvals-sign" aria-hidden="true">
        {signs[kind]}
      </span>
      {kind !== "equal" && <span class="unseen">{`${words[kind]}: `}</span>}
      <ValueText text={text === "" ? " " : text} />
    </div>
  );
}

export const LinesValue = ({ lines }: { lines: readonly DifferenceLine[] }) => (
  <div class="approvals-lines">
    {foldEqual(lines, ({ kind }) => kind === "equal").map((run, index) => {
      const items = run.items.map((line, at) => <Line key={at} {...line} />);
      if (run.kind === "shown") return <div key={index}>{items}</div>;
      return (
        <Folded key={index} word={plural(words.equalLines, run.items.length)}>
          {items}
        </Folded>
      );
    })}
  </div>
);
