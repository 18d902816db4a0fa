// A text of a conversation as people write it: what hides or turns text around is named, as in values, but the joiners within emoji
// and the spaces of typesetting are left as they are, since they hide nothing there.
import { Fragment, type JSX } from "preact";
import { hasHidden } from "../../../parts/hidden-characters.ts";
import { ValueText } from "../../../parts/value-text.tsx";

/** An emoji with what joins and colours it, or spaces that do not break. */
const harmless =
  /((?:\p{Extended_Pictographic}|\p{Regional_Indicator}|[0-9#*](?=\ufe0f\u20e3))(?:[\ufe0f\u20e3]|\p{Emoji_Modifier}|\u200d\p{Extended_Pictographic})*|[\u00a0\u202f\u3000]+)/u;

/** The text in turns: what is looked at, and what is harmless. */
export const splitHarmless = (text: string): readonly string[] => text.split(harmless);

/** No text is hidden there, as most are: one piece, as it is. */
export function ProseText({ text }: { text: string }): JSX.Element {
  if (!hasHidden(text)) return <>{text}</>;
  return (
    <>
      {splitHarmless(text).map((piece, index) => (
        <Fragment key={index}>{index % 2 === 1 || !hasHidden(piece) ? piece : <ValueText text={piece} />}</Fragment>
      ))}
    </>
  );
}
