// What the bar of answers shows where an answer takes more than a press: a reason for a denial, a text in place of the result, and approving
// for the conversation; another version of the arguments has a file of its own.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill, plural } from "../../words/fill.ts";
import type { BarProps } from "./bar-props.ts";
import { firstClass } from "./use-bar-focus.ts";
import type { Verdict } from "./verdict-machine.ts";

const maxReasonChars = 1_024;
const maxAnswerChars = 64 * 1_024;

const Back = ({ act, isFirst }: Pick<BarProps, "act"> & { isFirst?: boolean }) => (
  <Button look="quiet" class={isFirst === true ? firstClass : ""} onPress={() => act({ kind: "back" })}>
    {words.goBack}
  </Button>
);

const tooLong = (text: string, most: number): string | undefined =>
  text.length <= most ? undefined : fill(words.tooLong, { most, found: text.length });

export function DenyPanel(props: BarProps) {
  const { act, state, offBecause, othersOfRun } = props;
  const [isOfRun, setOfRun] = useState(false);
  const { reason } = state.drafts;
  const error = tooLong(reason, maxReasonChars);
  const setReason = (text: string) => act({ kind: "typed", drafts: { reason: text } });
  const deny = (decision: Verdict["decision"]) => {
    const said = reason.trim();
    const verdict: Verdict = { decision, ...(said !== "" && { reason: said }), ...(isOfRun && { isOfRun }) };
    act({ kind: "chosen", verdict, why: [] });
  };
  const off = offBecause ?? error;
  return (
    <div class="stack">
      <div class="row wrap">
        <h2>{words.denyTitle}</h2>
        {words.reasons.map((each) => (
          <Button key={each} small pressed={reason === each} onPress={() => setReason(each)}>
            {each}
          </Button>
        ))}
      </div>
      <div class={`approvals-field ${firstClass}`}>
        <TextArea
          label={words.reasonLabel}
          placeholder={words.reasonPlaceholder}
          value={reason}
          rows={2}
          error={error}
          onInput={setReason}
        />
      </div>
      {othersOfRun.length > 0 && (
        <label class="row">
          <input type="checkbox" checked={isOfRun} onChange={(event) => setOfRun(event.currentTarget.checked)} />
          {plural(words.denyRun, othersOfRun.length)}
        </label>
      )}
      <div class="approvals-buttons">
        <Back act={act} />
        <span class="space" />
        <Button look="red" offBecause={off} onPress={() => deny("deny_abort")}>
          {words.denyStop}
        </Button>
        <Button look="red" offBecause={off} onPress={() => deny("deny_continue")}>
          {words.denyOn}
        </Button>
      </div>
    </div>
  );
}

export function AnswerPanel({ act, state, offBecause }: BarProps) {
  const { answer } = state.drafts;
  const error = tooLong(answer, maxAnswerChars);
  const off = offBecause ?? error ?? (answer.trim() === "" ? words.answerEmpty : undefined);
  return (
    <div class="stack">
      <div class={`approvals-field ${firstClass}`}>
        <TextArea
          label={words.answerLabel}
          note={words.answerNote}
          value={answer}
          rows={4}
          error={error}
          onInput={(text) => act({ kind: "typed", drafts: { answer: text } })}
        />
      </div>
      <div class="approvals-buttons">
        <Back act={act} />
        <span class="space" />
        <Button
          look="filled"
          offBecause={off}
          onPress={() => act({ kind: "chosen", verdict: { decision: "answer", answer }, why: [] })}
        >
          {words.answerSend}
        </Button>
      </div>
    </div>
  );
}

type Panel = ComponentType<BarProps>;

/** The form is loaded when it is first needed; until then, the way back is there. */
export function EditPanel(props: BarProps) {
  const [Loaded, setLoaded] = useState<Panel | undefined>(undefined);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    import("./edit-panel.tsx").then(
      ({ EditPanel: found }) => setLoaded(() => found),
      () => setFailed(true),
    );
  }, []);
  if (Loaded !== undefined) return <Loaded {...props} />;
  return (
    <div class="approvals-buttons">
      <Back act={props.act} isFirst />
      {hasFailed && <p class="bad">{words.editNotLoaded}</p>}
    </div>
  );
}

export function ScopePanel({ act, approve, offBecause }: BarProps) {
  return (
    <div class="stack">
      <p>{words.sessionMeans}</p>
      <div class="approvals-buttons">
        <Button offBecause={offBecause} onPress={() => approve({ decision: "approve", scope: "session" })}>
          {words.approveSession}
        </Button>
        <span class="space" />
        <Back act={act} isFirst />
      </div>
    </div>
  );
}

/** Where the bar is too narrow for all answers. */
export function MorePanel({ act, offBecause }: BarProps) {
  const open = (panel: "answering" | "editing" | "scope") => act({ kind: "open", panel });
  return (
    <div class="stack">
      <Button class={firstClass} offBecause={offBecause} onPress={() => open("answering")}>
        {words.answerInstead}
      </Button>
      <Button offBecause={offBecause} onPress={() => open("editing")}>
        {words.edit}
      </Button>
      <Button offBecause={offBecause} onPress={() => open("scope")}>
        {`${words.approveSession}…`}
      </Button>
      <Back act={act} />
    </div>
  );
}
