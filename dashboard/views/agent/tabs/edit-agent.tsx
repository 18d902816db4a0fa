// Changing fields of an agent: what differs is shown as it will be sent, and what the gateway refuses is said in its own words, with the
// text still there.
import { useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import type { AgentInfo } from "../../../data/agent-info.ts";
import { usePage } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { TextArea } from "../../../parts/field.tsx";
import { useAction } from "../../../parts/use-action.ts";
import { useOffBecause } from "../../../parts/view-states.tsx";
import { fill } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { knownFields, readPatch, renderFields, renderPatch } from "./agent-definition.ts";

const rows = 12;

export function EditAgent({ facts, onClose }: { facts: AgentInfo; onClose(): void }): JSX.Element {
  const { connection, announcer } = usePage();
  const offline = useOffBecause();
  // As it was when it was opened: what others change meanwhile stays theirs.
  const [known] = useState(() => knownFields(facts));
  const [text, setText] = useState(() => renderFields(known));
  const read = useMemo(() => readPatch(text, known), [text, known]);
  const { working, problem, run } = useAction<"saving">();
  const isSame = read.ok && Object.keys(read.patch).length === 0;
  const save = () =>
    run("saving", async () => {
      if (!read.ok) return;
      await connection.call("agents_update", { agent_id: facts.id, spec: read.patch });
      announcer.say(fill(words.saved, { agent: facts.id }));
      onClose();
    });
  const off = offline ?? (read.ok ? (isSame ? words.editNothing : undefined) : read.problem);
  return (
    <Dialog title={fill(words.editTitle, { agent: facts.id })} look="sheet" onClose={onClose}>
      <p class="second">{words.editWhat}</p>
      <TextArea
        label={words.editField}
        value={text}
        onInput={setText}
        rows={rows}
        mono
        error={read.ok ? undefined : read.problem}
      />
      {read.ok && !isSame && (
        <div class="stack">
          <p>{words.editWill}</p>
          <pre class="well">{renderPatch(read.patch)}</pre>
        </div>
      )}
      {problem !== undefined && (
        <p class="bad agent-tab-said" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
      <div class="row wrap">
        <Button look="filled" onPress={save} offBecause={off}>
          {working === undefined ? words.save : words.saving}
        </Button>
        <Button onPress={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}
