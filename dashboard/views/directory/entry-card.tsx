// The card of an entry, word by word: a text of somebody else, shown as data. One that the list had no room for is asked for alone.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import * as z from "zod";
import { cardPath, type ShownEntry } from "../../data/directory.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { LoadingRows, ProblemBox } from "../../parts/view-states.tsx";
import { directoryWords as words } from "../../words/directory.ts";

export function EntryCard({ entry: { id, card, cardLeftOut } }: { entry: ShownEntry }): JSX.Element {
  return (
    <section class="section directory-part">
      {card === null ? (
        <>
          <h2>{words.card}</h2>
          {cardLeftOut ? <LongCard id={id} /> : <p class="second">{words.noCard}</p>}
        </>
      ) : (
        <CardText text={card} />
      )}
    </section>
  );
}

const CardText = ({ text }: { text: string }) => (
  <>
    <div class="row wrap">
      <h2>{words.card}</h2>
      <span class="space" />
      <CopyButton word={words.copyCard} text={text} small />
    </div>
    <p class="note second">{words.cardNote}</p>
    <div class="well">
      <ValueText text={text} />
    </div>
  </>
);

function LongCard({ id }: { id: string }): JSX.Element {
  const { rest } = usePage();
  const [isAsked, setAsked] = useState(false);
  const { data, problem, again } = useAnswer(isAsked ? id : undefined, (signal) =>
    rest({ path: cardPath(id), schema: z.unknown(), signal }),
  );
  if (data !== undefined) return <CardText text={JSON.stringify(data, null, 2)} />;
  if (problem !== undefined) return <ProblemBox what={words.cardWhat} problem={problem} again={again} />;
  if (isAsked) return <LoadingRows rows={3} />;
  return (
    <>
      <p class="second">{words.cardLeftOut}</p>
      <div>
        <Button onPress={() => setAsked(true)}>{words.readCard}</Button>
      </div>
    </>
  );
}
