// "What if": a copy of the rules that somebody edits, judged as it is typed, with what differs from the rules that hold. It is proposed
// with a reason, and the proposal says what it would have made of the last calls.
import type { Signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import { proposedSchema, type ShownPolicy, type ShownRules } from "../../data/policies.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useAction } from "../../parts/use-action.ts";
import { NeedsRole, useOffBecause } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill, plural } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { useDraft } from "./drafts.ts";
import { addRuleFor } from "./new-rule.ts";
import { readRules, renderRules, type ReadRules } from "./policy-text.ts";
import { RulesCompared } from "./rule-rows.tsx";
import { compareRules } from "./rules-difference.ts";

const nothing: ShownRules = { rules: [], default: "ask" };
const rows = 18;

export const TryRules = ({ policy }: { policy: ShownPolicy }) => (
  <NeedsRole needed="approver" action={words.needs.propose}>
    <Editor policy={policy} />
  </NeedsRole>
);

function Editor({ policy: { policy: name, in_force: inForce } }: { policy: ShownPolicy }): JSX.Element {
  const now = inForce ?? nothing;
  const held = useMemo(() => renderRules(now), [now]);
  const draft = useDraft(`rules of ${name}`);
  useNewRule(now, draft);
  const text = draft.value ?? held;
  const read = useMemo(() => readRules(text), [text]);
  const difference = useMemo(() => (read.ok ? compareRules(now, read.rules) : undefined), [read, now]);
  const isSame = difference?.isEqual ?? false;
  return (
    <div class="policies-try">
      <div class="stack">
        <p class="second">{words.tryWhat}</p>
        <TextArea
          label={words.tryField}
          value={text}
          onInput={(value) => (draft.value = value === held ? undefined : value)}
          rows={rows}
          mono
        />
        <Faults read={read} />
      </div>
      <div class="stack policies-propose">
        <h2>{words.difference}</h2>
        {difference === undefined || isSame ? (
          <p class="second">{isSame ? words.same : words.correctFirst}</p>
        ) : (
          <RulesCompared label={words.difference} difference={difference} />
        )}
        {read.ok && !isSame && <Propose name={name} read={read} onDone={() => (draft.value = undefined)} />}
        {draft.value !== undefined && (
          <div>
            <Button look="quiet" onPress={() => (draft.value = undefined)}>
              {words.reset}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** Where the address asks for a rule for a tool, the copy has it. What is written already stays. */
function useNewRule(now: ShownRules, draft: Signal<string | undefined>): void {
  const { query } = usePage().router.route.value;
  const isAsked = query.get("rule") === "new";
  const [server = "", tool = ""] = [query.get("server"), query.get("tool")];
  useEffect(() => {
    if (!isAsked) return;
    const written = draft.peek() === undefined ? undefined : readRules(draft.peek() ?? "");
    if (written?.ok === false) return;
    const before = written?.rules ?? now;
    const after = addRuleFor({ server, tool }, before);
    if (after !== before) draft.value = renderRules(after);
  }, [isAsked, server, tool]);
}

function Faults({ read }: { read: ReadRules }): JSX.Element | null {
  if (read.ok) return null;
  return (
    <div role="status" class="policies-faults">
      <p class="bad row">
        <Icon name="error" /> {plural(words.faults, read.problems.length)}
      </p>
      <ul>
        {read.problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}

interface ProposeProps {
  name: string;
  read: ReadRules & { ok: true };
  onDone(): void;
}

function Propose({ name, read, onDone }: ProposeProps): JSX.Element {
  const { connection, router, announcer } = usePage();
  const offline = useOffBecause();
  const reason = useDraft(`reason for ${name}`);
  const [isMissing, setMissing] = useState(false);
  const { working, problem, run } = useAction<"proposing">();
  const propose = () => {
    const why = reason.peek()?.trim() ?? "";
    if (why === "") return setMissing(true);
    return run("proposing", async () => {
      const { written, rules } = read;
      const answer = await connection.call("policy_propose", {
        ...{ policy: name, rules: written, default: rules.default, reason: why },
      });
      const { proposal } = proposedSchema.parse(answer.structured);
      announcer.say(fill(words.proposed, { name }));
      reason.value = undefined;
      onDone();
      router.go(link(["policies", name, "proposals", proposal.proposal_id]));
    });
  };
  return (
    <div class="stack">
      <TextField
        label={words.tryReason}
        value={reason.value ?? ""}
        onInput={(value) => {
          reason.value = value;
          setMissing(false);
        }}
        error={isMissing ? words.tryReasonMissing : undefined}
      />
      <div>
        <Button look="filled" onPress={propose} offBecause={offline}>
          {working === undefined ? words.propose : words.proposing}
        </Button>
      </div>
      {problem !== undefined && (
        <p class="bad" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
    </div>
  );
}
