// What the bar of answers shows once a call is over: who decided what and when, whether it was made, what of one's own was not sent, and where
// to go on. The card stays; nothing jumps to the next.
import { ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { renderJson } from "../../parts/schema-form/json-text.ts";
import { RichText } from "../../parts/rich-text.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { useCardPage } from "../../page.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import type { BarProps } from "./bar-props.ts";
import { Name } from "./card-head.tsx";
import { outcomeOf, tellLate, tellUndecided, tellUse, verdictText, whoDecided } from "./ending.ts";
import { firstClass } from "./use-bar-focus.ts";
import type { Drafts, Ending } from "./verdict-machine.ts";

const isDenial = (verdict: string | undefined): boolean => verdict?.startsWith("deny") === true;

/** In a box each: what was written, by whomever it was. */
const Quoted = ({ title, text }: { title: string; text: string }) => (
  <div>
    <h3>{title}</h3>
    <div class="well approvals-quoted">
      <ValueText text={text} />
    </div>
  </div>
);

function Draft({ drafts }: { drafts: Drafts }) {
  const edited = drafts.edited === undefined ? "" : renderJson(drafts.edited, 2);
  const text = [drafts.reason, drafts.answer, edited].find((each) => each.trim() !== "");
  if (text === undefined) return null;
  return (
    <p class="second approvals-prose">
      <ValueText text={fill(words.draft, { text })} />
    </p>
  );
}

function Decided({ approval, me, ending }: Pick<BarProps, "approval" | "me"> & { ending: Ending }) {
  const { time } = useCardPage();
  const { decision } = approval;
  const late = tellLate(ending);
  const outcome = outcomeOf(approval, time.now());
  if (outcome !== "decided") {
    return (
      <p class={firstClass} tabIndex={-1}>
        <Icon name="clock" /> {tellUndecided(approval, outcome)}
        {late !== undefined && ` ${late}`}
      </p>
    );
  }
  const denied = isDenial(decision?.verdict);
  return (
    <p class={firstClass} tabIndex={-1}>
      <span class={denied ? "bad" : "ok"}>
        <Icon name={denied ? "cross" : "check"} />
      </span>{" "}
      <RichText text={verdictText(approval)} places={{ by: <Name>{whoDecided(approval, me)}</Name> }} />
      {[late, tellUse(approval)].filter(Boolean).map((text) => ` ${text ?? ""}`)}
    </p>
  );
}

export function EndedBar({ approval, me, ending, state, next, place, note }: BarProps & { ending: Ending }) {
  const { decision } = approval;
  return (
    <div class="stack">
      <Decided approval={approval} me={me} ending={ending} />
      {decision?.reason !== undefined && (
        <p class="second approvals-prose">
          <ValueText text={fill(words.because, { reason: decision.reason })} />
        </p>
      )}
      {decision?.answer !== undefined && <Quoted title={words.theAnswer} text={decision.answer} />}
      {decision?.arguments !== undefined && <Quoted title={words.theVersion} text={decision.arguments} />}
      <Draft drafts={state.drafts} />
      {note !== undefined && <p class="second">{note}</p>}
      <div class="row wrap">
        {next !== undefined && (
          <ButtonLink href={place.hrefOf(next.callId)}>{fill(words.next, { n: next.count })}</ButtonLink>
        )}
        {place.ruleHref !== undefined && decision !== undefined && (
          <ButtonLink look="quiet" href={place.ruleHref(approval)}>
            {words.makeRule}
          </ButtonLink>
        )}
      </div>
    </div>
  );
}
