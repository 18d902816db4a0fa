// The list beside the card: calls that wait, the first to expire on top, or what was decided. While the pointer or the focus is inside,
// nothing moves: what came since stands above as a number.
import type { ShownApproval } from "../../data/approvals.ts";
import { Icon } from "../../parts/icon.tsx";
import { useSteadyRows } from "../../parts/steady-rows.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { Age } from "../../parts/age.tsx";
import { useCardPage } from "../../page.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill, plural } from "../../words/fill.ts";
import { TimeLeft } from "./card-head.tsx";
import { isOver, tellShort } from "./ending.ts";
import { findVia } from "./origin.ts";
import type { CardPlace } from "./place.ts";
import { summarise } from "./summary.ts";
import type { VerdictDesk } from "./verdict-desk.ts";

interface ListProps {
  label: string;
  rows: readonly ShownApproval[];
  open: string | undefined;
  place: CardPlace;
  me: string | undefined;
  desk: VerdictDesk;
  note?: string;
}

const keyOf = ({ call_id }: ShownApproval): string => call_id;

function tellOrigin(approval: ShownApproval): string {
  const { agent_id: agent, caller } = approval;
  if (agent === null) return fill(words.rowGateway, { caller });
  const via = findVia(approval);
  return via === undefined ? fill(words.rowFor, { agent, caller }) : fill(words.rowVia, { agent, via, caller });
}

function State({ approval, desk }: Pick<ListProps, "desk"> & { approval: ShownApproval }) {
  const step = desk.find(approval.call_id)?.step;
  if (step?.kind === "held") {
    const { decision } = step.verdict;
    return <span class="note strong wait tabular">{fill(words.holding[decision], { n: step.leftSeconds })}</span>;
  }
  if (isOver(approval)) {
    return (
      <span class="note second">
        <Age at={approval.decision?.at ?? approval.expires_at} />
      </span>
    );
  }
  return <TimeLeft until={approval.expires_at} />;
}

function Row({ approval, isGone, ...props }: ListProps & { approval: ShownApproval; isGone: boolean }) {
  const { time } = useCardPage();
  const isOpen = props.open === approval.call_id;
  const told = isOver(approval) ? tellShort(approval, props.me, time.coarse.value) : summarise(approval);
  return (
    <li>
      <a
        class={isGone ? "approvals-row removed" : "approvals-row"}
        href={props.place.hrefOf(approval.call_id)}
        {...(isOpen && { "aria-current": "true" as const })}
      >
        <span class="row">
          <span class="mono strong cut">
            <ValueText text={`${approval.server} / ${approval.tool}`} />
          </span>
          <span class="space" />
          <State approval={approval} desk={props.desk} />
        </span>
        <span class="cut approvals-summary">
          <ValueText text={told} />
        </span>
        <span class="row note second">
          <Icon name="agents" />
          <span class="cut approvals-summary">
            <ValueText text={tellOrigin(approval)} />
          </span>
        </span>
      </a>
    </li>
  );
}

export function ApprovalList(props: ListProps) {
  const steady = useSteadyRows(props.rows, keyOf);
  return (
    <div {...steady.holds}>
      <ul class="approvals-list" aria-label={props.label}>
        {steady.rows.map(({ key, row, isGone }) => (
          <Row key={key} {...props} approval={row} isGone={isGone} />
        ))}
      </ul>
      {steady.waiting > 0 && (
        <button type="button" class="table-waiting" onClick={steady.apply}>
          {plural(words.new, steady.waiting)}
        </button>
      )}
      {props.note !== undefined && <p class="note second approvals-note">{props.note}</p>}
    </div>
  );
}
