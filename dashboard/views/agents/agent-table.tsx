// The table of agents: state, name and what for, model, what it does now or why not, the last call, and the calls of a day. On a phone two
// lines a row.
import type { JSX } from "preact";
import type { ShownAgent } from "../../data/agents.ts";
import type { CallMetrics } from "../../data/calls.ts";
import { usePage } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { Bars } from "../../parts/bars.tsx";
import { Mark } from "../../parts/mark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { phone, useMedia } from "../../parts/use-media.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { agentsWords as words } from "../../words/agents.ts";
import { tellNumber } from "../../words/fill.ts";
import { nextSort, stateOf, type AgentSort, type SortColumn } from "./agent-rows.ts";
import { NowCell } from "./now-cell.tsx";

const rowHeights = { phone: 64, compact: 36, plain: 44 } as const;
export type AgentCalls = CallMetrics["agents"][number];
const keyOf = ({ id }: ShownAgent): string => id;
export const sumCalls = (calls: readonly number[]): number => calls.reduce((sum, each) => sum + each, 0);

interface AgentTableProps {
  rows: readonly ShownAgent[];
  sort: AgentSort;
  /** By agent; undefined while they are not known. */
  calls: ReadonlyMap<string, AgentCalls> | undefined;
  /** What the person asked to see: another shows at once. */
  asked: string;
  empty: JSX.Element;
}

export function AgentTable({ rows, sort, calls, asked, empty }: AgentTableProps): JSX.Element {
  const { router, settings } = usePage();
  const isPhone = useMedia(phone);
  const sorting = (column: SortColumn): Pick<Column<ShownAgent>, "sorted" | "onSort"> => ({
    ...(sort === column && { sorted: "ascending" as const }),
    ...(sort === `-${column}` && { sorted: "descending" as const }),
    onSort: () => {
      const next = nextSort(sort, column);
      router.setQuery({ sort: next === "name" ? undefined : next });
    },
  });
  const columns: Column<ShownAgent>[] = [
    { key: "state", title: words.state, render: (agent) => <Mark state={stateOf(agent)} isShort /> },
    { key: "agent", title: words.agent, ...sorting("name"), render: (agent) => <NameCell agent={agent} /> },
    {
      key: "model",
      title: words.model,
      ...sorting("model"),
      render: ({ model }) => <code class="cut second">{model === "" ? words.never : model}</code>,
    },
    { key: "now", title: words.now, render: (agent) => <NowCell agent={agent} /> },
    { key: "last", title: words.last, ...sorting("last"), render: (agent) => <LastCell agent={agent} /> },
    { key: "day", title: words.day, ...sorting("calls"), render: ({ id }) => <DayCell id={id} calls={calls} /> },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights[settings.compact.value ? "compact" : "plain"];
  return <Table label={words.table} kind="agents" {...{ rows, keyOf, columns, rowHeight, asked, empty }} />;
}

const NameCell = ({ agent: { id, description } }: { agent: ShownAgent }) => (
  <span class="agents-name">
    <a class="whole-row cut" href={link(["agents", id])}>
      {id}
    </a>
    {description !== "" && (
      <span class="agents-for note second cut">
        <ValueText text={description} />
      </span>
    )}
  </span>
);

const LastCell = ({ agent: { last_call_at: at } }: { agent: ShownAgent }) => (
  <span class="note second tabular">
    {at === undefined ? (
      <>
        <span aria-hidden="true">{words.never}</span>
        <span class="unseen">{words.neverTold}</span>
      </>
    ) : (
      <Age at={at} />
    )}
  </span>
);

const noCalls: readonly number[] = Array.from({ length: 24 }, () => 0);

function DayCell({ id, calls }: { id: string; calls: ReadonlyMap<string, AgentCalls> | undefined }): JSX.Element {
  if (calls === undefined) return <span />;
  const { calls: values = noCalls, errors = noCalls } = calls.get(id) ?? {};
  return (
    <span class="agents-day">
      <Bars values={values} failed={errors} />
      <span class="note second tabular" aria-hidden="true">
        {tellNumber(sumCalls(values))}
      </span>
    </span>
  );
}
