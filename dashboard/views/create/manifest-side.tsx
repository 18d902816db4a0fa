// The manifest beside the form: what is written there goes into the form as soon as it can be read, and says where it cannot.
import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { createWords as words } from "../../words/create.ts";
import type { DraftDesk } from "./use-draft.ts";

const leastRows = 14;
const mostRows = 40;

export function ManifestSide({ desk }: { desk: DraftDesk }): JSX.Element {
  const { text, fault } = desk;
  const rows = Math.min(mostRows, Math.max(leastRows, text.split("\n").length + 1));
  return (
    <section class="card pad stack create-manifest">
      <TextArea
        label={words.manifest}
        note={words.manifestWhat}
        value={text}
        onInput={desk.write}
        rows={rows}
        error={fault}
        mono
      />
      <div class="row wrap">
        <CopyButton word={words.copy} text={text} />
        {fault !== undefined && <Button onPress={desk.putBackText}>{words.backToForm}</Button>}
      </div>
    </section>
  );
}
