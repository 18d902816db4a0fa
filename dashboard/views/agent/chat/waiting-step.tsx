// A call that waits for a person, as a row among the steps: for whom, how long still, and the way to its card for whoever may decide. It is no
// error, and the run's time stands still meanwhile.
import type { ShownApproval } from "../../../data/approvals.ts";
import { usePage } from "../../../page.ts";
import { Icon } from "../../../parts/icon.tsx";
import { link } from "../../../route/route.ts";
import { usePending } from "../../../shell/waiting.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import { tellLeft } from "../../../words/times.ts";
import type { Step } from "./progress-steps.ts";

const tellWho = (approvers: readonly string[] | undefined): string =>
  approvers === undefined || approvers.length === 0 ? words.aPerson : approvers.join(", ");

function tellWait(found: ShownApproval | undefined, isAnswer: boolean, now: number): string {
  if (found !== undefined) {
    return fill(words.waitsFor, {
      who: tellWho(found.approvers),
      left: tellLeft(Date.parse(found.expires_at), now),
    });
  }
  return isAnswer ? words.waitsForAnswer : words.waitsUnknown;
}

export function WaitingStep({ step }: { step: Step }) {
  const found = usePending().value.data?.find(({ call_id }) => call_id === step.approval);
  return <WaitingCall {...step} found={found} />;
}

interface WaitingCallProps extends Pick<Step, "server" | "tool" | "depth"> {
  approval?: string | undefined;
  /** Undefined where the person does not see it among the calls that wait. */
  found: ShownApproval | undefined;
}

export function WaitingCall({ server, tool, depth, approval, found }: WaitingCallProps) {
  const { time } = usePage();
  // Painted anew by the page's timer, which may be some seconds behind a call that has just come.
  const now = Math.max(time.fine.value, time.now());
  return (
    <li class="chat-step waits" data-depth={depth}>
      <Icon name="approvals" class="wait" />
      <span>
        <span class="mono">{`${server} / ${tool}`}</span>
        <br />
        <span class="note">{tellWait(found, approval === undefined, now)}</span>
      </span>
      {found?.may_decide === true && (
        <a class="button plain small" href={link(["approvals", found.call_id])}>
          {words.lookAtIt}
        </a>
      )}
      {found?.may_decide === false && <span class="note second">{found.may_not_because}</span>}
    </li>
  );
}
