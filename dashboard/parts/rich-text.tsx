// A text with named places that are filled with elements: names in bold, links. The words stay in dashboard/words.
import { Fragment, type ComponentChildren } from "preact";

export const RichText = ({ text, places }: { text: string; places: Readonly<Record<string, ComponentChildren>> }) => (
  <>
    {text.split(/(\{[a-zA-Z]+\})/).map((piece, index) => {
      const name = piece.startsWith("{") ? piece.slice(1, -1) : undefined;
      return (
        <Fragment key={index}>{name !== undefined && Object.hasOwn(places, name) ? places[name] : piece}</Fragment>
      );
    })}
  </>
);
