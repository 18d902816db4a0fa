// A text that somebody else wrote, shown whole as data: no markdown, no links, nothing loaded, and with its hidden characters named.
import { findHidden } from "./hidden-characters.ts";

export const ValueText = ({ text }: { text: string }) => (
  <bdi class="value">
    {findHidden(text).map((piece, index) =>
      piece.kind === "text" ? (
        piece.text
      ) : (
        <span key={index} class="hidden-character" title={piece.name}>
          {piece.code}
          <span class="unseen"> ({piece.name})</span>
        </span>
      ),
    )}
  </bdi>
);
