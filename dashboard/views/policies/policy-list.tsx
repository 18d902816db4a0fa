// Which policies there are: whose calls each judges, how many rules it has, what becomes of the rest, and how much is proposed.
import type { JSX } from "preact";
import type { ShownPolicy, ShownProposal } from "../../data/policies.ts";
import { usePage } from "../../page.ts";
import { Mark } from "../../parts/mark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { phone, useMedia } from "../../parts/use-media.ts";
import { Empty } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill, plural, tellNumber } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { ActionChip } from "./rule-rows.tsx";

const rowHeights = { phone: 60, compact: 36, plain: 44 } as const;
const keyOf = ({ policy }: ShownPolicy): string => policy;

export function tellJudged({ agents, gateway }: ShownPolicy["judges"]): string {
  if (agents.length === 0) return gateway ? words.judgesGateway : words.judgesNothing;
  const told = plural(words.judgesAgents, agents.length);
  return gateway ? fill(words.judgesBoth, { agents: told }) : told;
}

interface PolicyListProps {
  policies: readonly ShownPolicy[];
  proposals: readonly ShownProposal[];
}

export function PolicyList({ policies, proposals }: PolicyListProps): JSX.Element {
  const { settings } = usePage();
  const isPhone = useMedia(phone);
  const proposed = (name: string) => proposals.filter(({ policy }) => policy === name).length;
  const columns: Column<ShownPolicy>[] = [
    { key: "name", title: words.columns.name, render: (policy) => <NameCell policy={policy} /> },
    {
      key: "judges",
      title: words.columns.judges,
      render: ({ judges }) => <span class="cut second">{tellJudged(judges)}</span>,
    },
    {
      key: "rules",
      title: words.columns.rules,
      numeric: true,
      render: ({ in_force: inForce }) => (inForce ? tellNumber(inForce.rules.length) : words.nothing),
    },
    {
      key: "default",
      title: words.columns.default,
      render: ({ in_force: inForce }) => <ActionChip action={inForce?.default ?? "denyAbort"} />,
    },
    {
      key: "proposals",
      title: words.columns.proposals,
      numeric: true,
      render: ({ policy }) => tellNumber(proposed(policy)),
    },
  ];
  if (policies.length === 0) {
    return (
      <div class="card">
        <Empty title={words.empty}>
          <p>{words.emptyNext}</p>
        </Empty>
      </div>
    );
  }
  const rowHeight = isPhone ? rowHeights.phone : rowHeights[settings.compact.value ? "compact" : "plain"];
  return (
    <div class="stack">
      <Table label={words.table} kind="policies" rows={policies} {...{ keyOf, columns, rowHeight }} />
      <p class="note third">{words.note}</p>
    </div>
  );
}

function NameCell({ policy: { policy, judges, fault, faulty } }: { policy: ShownPolicy }): JSX.Element {
  const isWrong = fault !== undefined || faulty !== undefined;
  return (
    <span class="policies-cell">
      <a class="whole-row cut" href={link(["policies", policy])}>
        {policy}
      </a>
      {isWrong && <Mark state={fault === undefined ? "degraded" : "error"} isShort />}
      <span class="policies-for note second cut">{tellJudged(judges)}</span>
    </span>
  );
}
