// The bar at the foot of a card, in the same place whatever it shows: what may be answered, the step that is being taken, what is held, and
// how it ended. Nothing in it has the focus when a card opens.
import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import { AnswerPanel, DenyPanel, EditPanel, MorePanel, ScopePanel } from "./answer-panels.tsx";
import type { BarProps } from "./bar-props.ts";
import { EndedBar } from "./ended-bar.tsx";
import type { Step } from "./verdict-machine.ts";
import { firstClass } from "./use-bar-focus.ts";

export const approveId = "approvals-approve";

function Ready({ act, approve, cautions, offBecause }: BarProps) {
  const open = (panel: "denying" | "answering" | "editing" | "scope" | "more") => act({ kind: "open", panel });
  return (
    <div class="approvals-buttons">
      <Button look="red" keyHint="d" offBecause={offBecause} onPress={() => open("denying")}>
        {words.deny}
      </Button>
      <span class="space" />
      <span class="approvals-wide-only">
        <Button look="quiet" keyHint="r" offBecause={offBecause} onPress={() => open("answering")}>
          {words.answerInstead}
        </Button>
        <Button look="quiet" keyHint="e" offBecause={offBecause} onPress={() => open("editing")}>
          {words.edit}
        </Button>
      </span>
      <span class="approvals-narrow-only">
        <Button look="quiet" icon="more" offBecause={offBecause} onPress={() => open("more")}>
          <span class="unseen">{words.moreAnswers}</span>
        </Button>
      </span>
      <span class="approvals-split">
        <Button
          id={approveId}
          look="filled"
          keyHint="a"
          offBecause={offBecause}
          onPress={() => approve({ decision: "approve" })}
        >
          {cautions.length === 0 ? words.approve : words.approveStep}
        </Button>
        <span class="approvals-wide-only">
          <Button look="filled" icon="down" expanded={false} offBecause={offBecause} onPress={() => open("scope")}>
            <span class="unseen">{words.moreWays}</span>
          </Button>
        </span>
      </span>
    </div>
  );
}

/** The confirming button is where no first press was; Back has the focus. */
function Confirming({ step, act, offBecause }: BarProps & { step: Extract<Step, { kind: "confirming" }> }) {
  const { verdict, why } = step;
  const word =
    verdict.arguments !== undefined
      ? words.approveMine
      : verdict.scope === "session"
        ? words.approveSession
        : words.approveOne;
  return (
    <div class="approvals-confirm" role="group" aria-label={words.bar}>
      <p>
        <span class="warn">
          <Icon name="degraded" />
        </span>{" "}
        {why.join(" ")}
      </p>
      <div class="approvals-buttons">
        <Button look="filled" offBecause={offBecause} onPress={() => act({ kind: "confirmed" })}>
          {word}
        </Button>
        <span class="space" />
        <Button class={firstClass} onPress={() => act({ kind: "back" })}>
          {words.goBack}
        </Button>
      </div>
    </div>
  );
}

function Held({ step, act }: BarProps & { step: Extract<Step, { kind: "held" }> }) {
  return (
    <div class="approvals-buttons">
      <span class="approvals-hold">
        <span class="strong tabular">{fill(words.holding[step.verdict.decision], { n: step.leftSeconds })}</span>
        <span class="progress-bar" aria-hidden="true">
          <span class="approvals-hold-bar" />
        </span>
      </span>
      <span class="space" />
      <Button class={firstClass} keyHint="z" onPress={() => act({ kind: "back" })}>
        {words.undo}
      </Button>
    </div>
  );
}

const Sending = () => (
  <div class="approvals-buttons">
    <p class={`row ${firstClass}`} tabIndex={-1}>
      <Icon name="ring" class="spin" /> {words.sending}
    </p>
  </div>
);

function Content(props: BarProps): JSX.Element {
  const { step } = props.state;
  switch (step.kind) {
    case "ready":
      return <Ready {...props} />;
    case "scope":
      return <ScopePanel {...props} />;
    case "more":
      return <MorePanel {...props} />;
    case "denying":
      return <DenyPanel {...props} />;
    case "answering":
      return <AnswerPanel {...props} />;
    case "editing":
      return <EditPanel {...props} />;
    case "confirming":
      return <Confirming {...props} step={step} />;
    case "held":
      return <Held {...props} step={step} />;
    case "sending":
      return <Sending />;
    case "over":
      return <EndedBar {...props} ending={step.ending} />;
  }
}

export function VerdictBar(props: BarProps) {
  const { focus, state, mayNot } = props;
  const isOver = state.step.kind === "over";
  return (
    <footer class="approvals-bar" tabIndex={-1} ref={focus.bar} aria-label={words.bar} {...focus.holds}>
      {state.problem !== undefined && (
        <p class="bad row approvals-refusal">
          <Icon name="error" /> {state.problem}
        </p>
      )}
      {mayNot !== undefined && !isOver ? <p class="second approvals-may-not">{mayNot}</p> : <Content {...props} />}
    </footer>
  );
}
