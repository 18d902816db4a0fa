// Why somebody is asked about a call, what its server says of the tool, and how it came here.
import type { ShownApproval } from "../../data/approvals.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { RichText } from "../../parts/rich-text.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import { tellClock } from "../../words/times.ts";
import { listOrigin, type OriginStep } from "./origin.ts";
import type { CardPlace } from "./place.ts";

function Why({ approval, place }: { approval: ShownApproval; place: CardPlace }) {
  const { policy, reason, approvers, ask_caller: askCaller } = approval;
  const { policyHref } = place;
  const linked = (text: string) => (policyHref === undefined ? text : <a href={policyHref(policy.name)}>{text}</a>);
  const text =
    policy.rule === undefined
      ? reason === undefined
        ? words.whyDefault
        : words.whyDefaultReason
      : reason === undefined
        ? words.whyRuleOnly
        : words.whyRule;
  const places = {
    policy: policy.rule === undefined ? linked(policy.name) : policy.name,
    rule: linked(policy.rule ?? ""),
    reason: reason ?? "",
  };
  return (
    <div class="stack approvals-tight">
      <h3>{words.why}</h3>
      <p>
        <RichText text={text} places={places} />
      </p>
      {approvers !== undefined && (
        <p class="second">
          {fill(askCaller === true ? words.mayApproveCaller : words.mayApprove, { names: approvers.join(", ") })}
        </p>
      )}
    </div>
  );
}

const icons = { ok: "check", failed: "error", waiting: "approvals" } as const satisfies Record<
  OriginStep["outcome"],
  IconName
>;
const colours = { ok: "ok", failed: "bad", waiting: "wait" } as const satisfies Record<OriginStep["outcome"], string>;

function How({ approval }: { approval: ShownApproval }) {
  return (
    <div class="stack approvals-tight">
      <h3>{words.how}</h3>
      <ol class="approvals-steps">
        {listOrigin(approval).map(({ outcome, text, at }, index) => (
          <li key={index}>
            <span class={colours[outcome]}>
              <Icon name={icons[outcome]} />
            </span>
            <span class="approvals-prose">
              <ValueText text={text} />
            </span>
            {at !== undefined && (
              <time class="note second tabular" dateTime={at}>
                {tellClock(Date.parse(at))}
              </time>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

export const CardContext = ({ approval, place }: { approval: ShownApproval; place: CardPlace }) => (
  <section class="section approvals-context">
    <div class="stack-wide">
      <Why approval={approval} place={place} />
      <div class="stack approvals-tight">
        <h3>{words.serverSays}</h3>
        <div class="approvals-prose second">
          <ValueText text={approval.description ?? words.saysNothing} />
        </div>
      </div>
    </div>
    <How approval={approval} />
  </section>
);
