// The parts of an answer, each as the data that it is: texts whole and without markdown, pictures only after a press and only from the
// answer itself, nothing loaded, no links.
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { renderJson, type Json } from "../../parts/schema-form/json-text.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { fill } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";
import type { ResultPart } from "./outcome.ts";
import { tellBytes } from "./tell-bytes.ts";

const maxParts = 100;
const maxTextChars = 50_000;

export function ResultParts({ parts }: { parts: readonly ResultPart[] }) {
  if (parts.length === 0) return <p class="note second">{words.noParts}</p>;
  return (
    <div class="stack">
      {parts.slice(0, maxParts).map((part, index) => (
        <Part key={index} part={part} />
      ))}
      {parts.length > maxParts && (
        <p class="note second">{fill(words.partsCut, { shown: maxParts, n: parts.length })}</p>
      )}
    </div>
  );
}

export const Structured = ({ value }: { value: Json }) => (
  <div class="stack">
    <h3>{words.structured}</h3>
    <Whole text={renderJson(value, 2)} />
  </div>
);

/** Grows the page up to a size that a browser draws at once; the rest can be copied. */
const Whole = ({ text }: { text: string }) => (
  <>
    <pre class="well tester-text">
      <ValueText text={text.slice(0, maxTextChars)} />
    </pre>
    {text.length > maxTextChars && (
      <div class="row wrap">
        <span class="note second">{fill(words.partCut, { shown: maxTextChars, n: text.length })}</span>
        <CopyButton small word={words.copyResult} text={text} />
      </div>
    )}
  </>
);

function Part({ part }: { part: ResultPart }) {
  const type = (mimeType: string) => (mimeType === "" ? words.unknownType : mimeType);
  switch (part.kind) {
    case "text":
      return (
        <div class="stack">
          {part.about !== undefined && <h3 class="tester-about">{fill(words.resourceText, { about: part.about })}</h3>}
          <Whole text={part.text} />
        </div>
      );
    case "picture":
      return <Picture part={part} />;
    case "sound":
      return (
        <p class="note second">{fill(words.sound, { mimeType: type(part.mimeType), size: tellBytes(part.bytes) })}</p>
      );
    case "blob":
      return (
        <p class="note second">
          {`${fill(words.blob, { mimeType: type(part.mimeType), size: tellBytes(part.bytes) })} `}
          <ValueText text={part.about} />
        </p>
      );
    case "link":
      return (
        <div class="stack">
          <h3>{words.linkPart}</h3>
          <pre class="well">
            <ValueText text={[part.name, part.uri, part.description].filter(Boolean).join("\n")} />
          </pre>
        </div>
      );
    case "message":
      return (
        <div class="stack">
          <h3>{fill(words.messageOf, { role: part.role })}</h3>
          <Part part={part.part} />
        </div>
      );
    case "json":
      return <Whole text={renderJson(part.value, 2)} />;
  }
}

function Picture({ part }: { part: Extract<ResultPart, { kind: "picture" }> }) {
  const [isShown, setShown] = useState(false);
  const { mimeType, data, bytes } = part;
  if (isShown) {
    return (
      <img class="tester-picture" src={`data:${mimeType};base64,${data}`} alt={fill(words.pictureAlt, { mimeType })} />
    );
  }
  return (
    <div>
      <Button icon="picture" onPress={() => setShown(true)}>
        {fill(words.showPicture, { size: tellBytes(bytes) })}
      </Button>
    </div>
  );
}
