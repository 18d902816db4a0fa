// One call, with everything that is needed to decide of it and the bar of answers at its foot. The card stays what it is until somebody opens
// another: what the gateway says of the call changes it in place.
import { useEffect, useMemo } from "preact/hooks";
import { approvalResource, approvalUri, type ShownApproval } from "../../data/approvals.ts";
import { Gone, LoadingRows, ProblemBox, useOffBecause } from "../../parts/view-states.tsx";
import { useCardPage, useResource } from "../../page.ts";
import { hasRole } from "../../session/caller.ts";
import { isTyping } from "../../shell/typing.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { verdictWords } from "../../words/verdicts.ts";
import { fill } from "../../words/fill.ts";
import type { BarProps } from "./bar-props.ts";
import { CardArguments } from "./card-arguments.tsx";
import { CardContext } from "./card-context.tsx";
import { BackLink, CardHead, CardTitle } from "./card-head.tsx";
import { findCautions } from "./caution.ts";
import { compareArguments, type Comparison } from "./difference.ts";
import { findOthersOfRun, isOver } from "./ending.ts";
import type { CardPlace } from "./place.ts";
import { useBarFocus } from "./use-bar-focus.ts";
import { approveId, VerdictBar } from "./verdict-bar.tsx";
import type { VerdictDesk } from "./verdict-desk.ts";
import type { Panel, Step, Verdict, VerdictEvent } from "./verdict-machine.ts";

export interface CardProps {
  callId: string;
  /** As a list has it; until the call itself is read. */
  listed: ShownApproval | undefined;
  /** All that wait. */
  waiting: readonly ShownApproval[];
  desk: VerdictDesk;
  place: CardPlace;
  /** Whether the list is not beside it. */
  isAlone: boolean;
}

export function ApprovalCard(props: CardProps) {
  const { callId, listed, place, isAlone } = props;
  const { data, problem, again } = useResource(approvalUri(callId), approvalResource).value;
  const approval = data ?? (listed?.left_out === true ? undefined : listed);
  if (approval !== undefined && problem?.kind !== "gone") return <OpenCard {...props} approval={approval} />;
  return (
    <section class="card approvals-card">
      <div class="approvals-head">
        {isAlone && <BackLink href={place.listHref} />}
        <CardTitle>{words.title}</CardTitle>
      </div>
      {problem === undefined && <LoadingRows />}
      {problem?.kind === "gone" && (
        <Gone what={words.goneWhat} name={callId} backTo={words.backTo} backHref={place.listHref} />
      )}
      {problem !== undefined && problem.kind !== "gone" && (
        <ProblemBox what={words.cardWhat} problem={problem} again={again} />
      )}
    </section>
  );
}

const expiresSoonMs = 60_000;

function useSaidBeforeExpiry({ expires_at, state }: ShownApproval): void {
  const { time, announcer } = useCardPage();
  useEffect(() => {
    const waitMs = Date.parse(expires_at) - expiresSoonMs - time.now();
    if (state !== "pending" || !(waitMs > 0)) return undefined;
    return time.after(waitMs, () => announcer.sayNow(words.expiresSoon));
  }, [expires_at, state, time, announcer]);
}

function compare(approval: ShownApproval, edited?: string): Comparison | undefined {
  const now = edited ?? approval.arguments;
  if (now === undefined) return undefined;
  const last = approval.last_approved;
  return compareArguments({
    now,
    was: last?.arguments,
    redacted: approval.redacted,
    isSame: edited === undefined && last?.same_arguments === true,
  });
}

/** Why this person cannot decide of it at all; undefined: they can. */
function useMayNot(approval: ShownApproval, place: CardPlace): string | undefined {
  const caller = useCardPage().caller.value;
  if (isOver(approval) || place.cannotDecide !== undefined) return place.cannotDecide;
  if (!hasRole(caller, "approver")) return fill(words.roleMissing, { role: caller?.role ?? "" });
  return approval.may_decide ? undefined : fill(words.mayNot, { reason: approval.may_not_because ?? "" });
}

function useOff({ expires_at, arguments: shown }: ShownApproval): string | undefined {
  const { time } = useCardPage();
  const offline = useOffBecause();
  if (offline !== undefined) return offline;
  if (time.fine.value > Date.parse(expires_at)) return words.off.over;
  return shown === undefined ? words.off.hidden : undefined;
}

const panelKeys: Readonly<Record<string, Panel>> = { d: "denying", e: "editing", r: "answering" };

function useBar({ approval, waiting, desk, place }: CardProps & { approval: ShownApproval }, comparison?: Comparison) {
  const { caller, connection } = useCardPage();
  const state = desk.open(approval).value;
  const callId = approval.call_id;
  const cautions = useMemo(
    () => (comparison === undefined ? [] : findCautions(approval, comparison, false)),
    [approval, comparison],
  );
  const othersOfRun = findOthersOfRun(waiting, approval);
  const mine = waiting.filter((each) => each.may_decide && each.call_id !== callId);
  const act = (event: VerdictEvent) => {
    // What is pressed while nothing can be decided is said by the button itself.
    if (event.kind === "chosen" && connection.state.peek().kind !== "live") return;
    desk.act(callId, event, event.kind === "chosen" ? othersOfRun : undefined);
  };
  const choose = (verdict: Verdict, why: readonly string[]) => act({ kind: "chosen", verdict, why });
  const [next] = mine;
  return {
    approval,
    state,
    place,
    me: caller.value?.name,
    focus: useBarFocus(state.step.kind),
    mayNot: useMayNot(approval, place),
    offBecause: useOff(approval),
    cautions,
    othersOfRun,
    next: next && { callId: next.call_id, count: mine.length },
    note: desk.note.value,
    act,
    approve: (verdict) =>
      choose(
        verdict,
        verdict.scope === "session" && cautions.length > 0 ? [...cautions, words.caution.session] : cautions,
      ),
    approveVersion(version, text) {
      const edited = compare(approval, text);
      const why = edited === undefined ? [words.caution.edited] : findCautions(approval, edited, true);
      choose({ decision: "approve", arguments: version }, why);
    },
  } satisfies BarProps;
}

const isInPanel = ({ kind }: Step): boolean => !["ready", "held", "sending", "over"].includes(kind);

function OpenCard(props: CardProps & { approval: ShownApproval }) {
  const { approval, desk, place, isAlone } = props;
  const { settings } = useCardPage();
  const comparison = useMemo(() => compare(approval), [approval]);
  const bar = useBar(props, comparison);
  const { call_id, arguments_hash: hash } = approval;
  useEffect(() => desk.act(call_id, { kind: "shown", hash }), [desk, call_id, hash]);
  useEffect(() => desk.hear(approval), [desk, approval]);
  useSaidBeforeExpiry(approval);
  const act = (event: VerdictEvent) => {
    bar.act(event);
    // In the moment in which presses do nothing, the focus stays where it is.
    if (desk.find(approval.call_id) !== bar.state) bar.focus.claim();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.isComposing && isInPanel(bar.state.step)) {
      // Out of the panel; what was typed stays.
      event.preventDefault();
      act({ kind: "back" });
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
    if (!settings.keys.peek() || bar.mayNot !== undefined) return;
    const panel = panelKeys[event.key];
    if (event.key === "a") {
      document.getElementById(approveId)?.focus();
    } else if (event.key === "z" && bar.state.step.kind === "held") {
      act({ kind: "back" });
    } else if (panel !== undefined && bar.offBecause === undefined) {
      act({ kind: "open", panel });
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <section
      class="card approvals-card"
      aria-label={fill(words.card, { tool: `${approval.server} / ${approval.tool}` })}
      onKeyDown={onKeyDown}
    >
      <CardHead approval={approval} place={place} me={bar.me} isAlone={isAlone} />
      {approval.decision?.ignored === true && (
        <p class="section warn">{fill(words.ignored, { by: approval.decision.by ?? verdictWords.somebody })}</p>
      )}
      <CardArguments approval={approval} comparison={comparison} />
      <CardContext approval={approval} place={place} />
      <VerdictBar {...bar} />
    </section>
  );
}
