// Rules in the order in which they are tried, each as a sentence with what becomes of its calls, the default last. With marks where they are
// compared with others.
import type { JSX } from "preact";
import type { RuleAction, ShownRule, ShownRules } from "../../data/policies.ts";
import { Chip, type ChipLook } from "../../parts/mark.tsx";
import type { IconName } from "../../parts/icon.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { fill } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { tellDefault, tellRule, type Piece } from "./rule-sentence.ts";
import type { RuleChange, RulesDifference } from "./rules-difference.ts";

const looks = {
  allow: { look: "ok", icon: "check" },
  ask: { look: "wait", icon: "approvals" },
  denyContinue: { look: "bad", icon: "cross" },
  denyAbort: { look: "bad", icon: "error" },
} as const satisfies Record<RuleAction, { look: ChipLook; icon: IconName }>;

export const ActionChip = ({ action }: { action: RuleAction }) => (
  <Chip look={looks[action].look} icon={looks[action].icon}>
    {words.actions[action]}
  </Chip>
);

const Sentence = ({ pieces }: { pieces: readonly Piece[] }) => (
  <p>{pieces.map(({ kind, text }, at) => (kind === "words" ? text : <ValueText key={at} text={text} />))}</p>
);

const Reason = ({ text }: { text: string | null | undefined }) =>
  typeof text === "string" ? <p class="note second">{fill(words.reason, { reason: text })}</p> : null;

/** Its number, its name, what it says. */
function RuleRow({ rule, at }: { rule: ShownRule; at: number }): JSX.Element {
  return (
    <li class="policies-rule">
      <span class="third tabular">{at}</span>
      <code class="policies-name">{rule.name}</code>
      <div class="policies-says">
        <Sentence pieces={tellRule(rule)} />
        <Reason text={rule.reason} />
      </div>
      <ActionChip action={rule.action} />
    </li>
  );
}

export function RuleRows({
  label,
  rules: { rules, default: fallback },
}: {
  label: string;
  rules: ShownRules;
}): JSX.Element {
  return (
    <ol class="card policies-rules" aria-label={label}>
      {rules.map((rule, at) => (
        <RuleRow key={rule.name} rule={rule} at={at + 1} />
      ))}
      <li class="policies-rule">
        <span class="third" />
        <span class="second policies-name">{words.defaultName}</span>
        <div class="policies-says">
          <Sentence pieces={tellDefault(fallback, rules.length === 0)} />
        </div>
        <ActionChip action={fallback} />
      </li>
    </ol>
  );
}

const signs = { equal: "", added: "+", removed: "−", changed: "±", moved: "↕" } as const;

/** All rules: what is equal stays in sight, since order decides. */
export function RulesCompared({ label, difference }: { label: string; difference: RulesDifference }): JSX.Element {
  const { before, after } = difference.default;
  const isAlone = difference.rules.every(({ kind }) => kind === "removed");
  return (
    <ol class="card policies-rules" aria-label={label}>
      {difference.rules.map((change) => (
        <ComparedRow key={`${change.kind} ${change.rule.name}`} change={change} />
      ))}
      <li class={`policies-rule ${before === after ? "equal" : "changed"}`}>
        <Sign kind={before === after ? "equal" : "changed"} />
        <span class="second policies-name">{words.defaultName}</span>
        <div class="policies-says">
          <Sentence pieces={tellDefault(after, isAlone)} />
          {before !== after && <Was pieces={tellDefault(before, false)} />}
        </div>
        <ActionChip action={after} />
      </li>
    </ol>
  );
}

function ComparedRow({ change }: { change: RuleChange }): JSX.Element {
  const { kind, rule } = change;
  const hasOtherReason = kind === "changed" && change.before.reason !== rule.reason;
  return (
    <li class={`policies-rule ${kind}`}>
      <Sign kind={kind} />
      <code class="policies-name">{rule.name}</code>
      <div class="policies-says">
        <Sentence pieces={tellRule(rule)} />
        <Reason text={rule.reason} />
        {kind === "changed" && <Was pieces={tellRule(change.before)} />}
        {hasOtherReason && <Reason text={change.before.reason} />}
      </div>
      <ActionChip action={rule.action} />
    </li>
  );
}

const Sign = ({ kind }: { kind: RuleChange["kind"] }) => (
  <span class="policies-sign">
    <span aria-hidden="true">{signs[kind]}</span>
    <span class="unseen">{words.kinds[kind]}</span>
  </span>
);

const Was = ({ pieces }: { pieces: readonly Piece[] }) => (
  <div class="second policies-was">
    <span>{words.was}</span>
    <Sentence pieces={pieces} />
  </div>
);
