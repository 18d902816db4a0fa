// What proposed rules would have made of the last calls: in numbers, and one by one where it is not what became of them. What would be let
// through that is not now stands first.
import type { JSX } from "preact";
import type { DryRun, JudgedCall } from "../../data/policies.ts";
import { usePage } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { phone, useMedia } from "../../parts/use-media.ts";
import { hasRole } from "../../session/caller.ts";
import { fill, plural, tellNumber } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { isLooser, sumUpDryRun, type JudgedGroup } from "./dry-run-numbers.ts";

export function DryRunResult({ dryRun }: { dryRun: DryRun | undefined }): JSX.Element {
  const caller = usePage().caller.value;
  return (
    <section class="stack">
      <h2>{words.tried}</h2>
      {dryRun === undefined ? (
        <p class="second">{hasRole(caller, "approver") ? words.triedNotYet : words.triedForApprovers}</p>
      ) : (
        <Numbers dryRun={dryRun} />
      )}
    </section>
  );
}

function Numbers({ dryRun }: { dryRun: DryRun }): JSX.Element {
  const { total, calls, calls_left_out: leftOut, unanswered = [], agents_left_out: agents } = dryRun;
  const { looser, stricter, asBefore } = sumUpDryRun(dryRun);
  return (
    <>
      <p class="second">{total === 0 ? words.triedNone : plural(words.triedOf, total)}</p>
      {total > 0 && (
        <ul class="policies-numbers">
          {looser.length === 0 && (
            <li class="card policies-number ok">
              <Icon name="check" /> {words.looserNone}
            </li>
          )}
          {looser.map((group) => (
            <Group key={`${group.before} ${group.after}`} group={group} isBad />
          ))}
          {stricter.map((group) => (
            <Group key={`${group.before} ${group.after}`} group={group} />
          ))}
          <li class="card policies-number second">
            <span class="policies-count">{tellNumber(asBefore)}</span> {words.asBefore}
          </li>
        </ul>
      )}
      {unanswered.map(({ agent_id: agent, message }) => (
        <p key={agent} class="warn row">
          <Icon name="degraded" /> {fill(words.unanswered, { agent, reason: message })}
        </p>
      ))}
      {agents !== undefined && <p class="note second">{plural(words.agentsLeftOut, agents)}</p>}
      {calls.length > 0 && <Changed calls={calls} />}
      {leftOut !== undefined && <p class="note second">{plural(words.leftOut, leftOut)}</p>}
    </>
  );
}

const tellBecame = ({ before, after }: Pick<JudgedGroup, "before" | "after">): string =>
  fill(words.became, { before: words.actions[before], after: words.actions[after] });

const Group = ({ group, isBad = false }: { group: JudgedGroup; isBad?: boolean }) => (
  <li class={isBad ? "card policies-number bad" : "card policies-number"}>
    {isBad && <Icon name="degraded" />}
    <span class="policies-count">{tellNumber(group.calls)}</span> {tellBecame(group)}
  </li>
);

const rowHeights = { phone: 60, plain: 44 } as const;
interface ListedCall extends JudgedCall {
  readonly place: number;
}
const keyOf = ({ place }: ListedCall): string => String(place);

function Changed({ calls }: { calls: readonly JudgedCall[] }): JSX.Element {
  const isPhone = useMedia(phone);
  const rows = calls.map((call, place) => ({ ...call, place }));
  const columns: Column<ListedCall>[] = [
    {
      key: "became",
      title: words.listedColumns.became,
      render: (call) => (
        <span class={isLooser(call) ? "policies-became bad" : "policies-became"}>
          {isLooser(call) && <Icon name="degraded" />}
          <span class="cut">{tellBecame(call)}</span>
        </span>
      ),
    },
    {
      key: "tool",
      title: words.listedColumns.tool,
      render: ({ server, tool }) => (
        <span class="mono cut" title={`${server} / ${tool}`}>
          <span class="second">{server} / </span>
          {tool}
        </span>
      ),
    },
    {
      key: "who",
      title: words.listedColumns.who,
      render: ({ agent_id: agent, caller }) => (
        <span class="cut second" title={caller}>
          {agent ?? words.ofGateway}, {caller}
        </span>
      ),
    },
    {
      key: "rule",
      title: words.listedColumns.rule,
      render: ({ rule }) => <span class="cut mono">{rule ?? words.defaultName}</span>,
    },
    { key: "when", title: words.listedColumns.when, render: ({ at }) => <Age at={at} /> },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights.plain;
  return <Table label={words.listed} kind="policies-calls" {...{ rows, keyOf, columns, rowHeight }} />;
}
