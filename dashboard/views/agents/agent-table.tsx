// The table of agents: state, what it is for, model, what it does now, last call, and its last day as bars. On a phone two lines a row.
import type { JSX } from "preact";
import type { ShownAgent } from "../../data/agents.ts";
import { callMetricsResource, callMetricsUri, type CallMetrics } from "../../data/calls.ts";
import { usePage, useResource } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { Bars } from "../../parts/bars.tsx";
import { Icon } from "../../parts/icon.tsx";
import { colourOf, Mark } from "../../parts/mark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { phone, useMedia } from "../../parts/use-media.ts";
import { link } from "../../route/route.ts";
import { agentsWords as words } from "../../words/agents.ts";
import { plural, tellNumber } from "../../words/fill.ts";
import { nextSort, stateOf, type AgentSort } from "./agent-rows.ts";

const rowHeights = { phone: 64, compact: 36, plain: 44 } as const;
const keyOf = ({ id }: ShownAgent): string => id;
type OfDay = CallMetrics["agents"][number];

interface AgentTableProps {
  rows: readonly ShownAgent[];
  sort: AgentSort;
  empty: JSX.Element;
}

export function AgentTable({ rows, sort, empty }: AgentTableProps): JSX.Element {
  const { router, settings } = usePage();
  const isPhone = useMedia(phone);
  const metrics = useResource(callMetricsUri, callMetricsResource).value.data;
  const days = new Map(metrics?.agents.map((each) => [each.agent_id, each]));
  const sorting = (column: "name" | "model" | "last"): Pick<Column<ShownAgent>, "sorted" | "onSort"> => ({
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
      render: ({ model }) => <span class="mono second cut">{model}</span>,
    },
    { key: "now", title: words.now, render: (agent) => <NowCell agent={agent} /> },
    { key: "last", title: words.lastCall, ...sorting("last"), render: ({ last_call_at: at }) => <LastCell at={at} /> },
    { key: "day", title: words.day, render: ({ id }) => <DayCell day={days.get(id)} /> },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights[settings.compact.value ? "compact" : "plain"];
  return <Table label={words.table} kind="agents" {...{ rows, keyOf, columns, rowHeight, empty }} />;
}

const NameCell = ({ agent: { id, description } }: { agent: ShownAgent }) => (
  <span class="agents-name">
    <a class="whole-row cut" href={link(["agents", id])}>
      {id}
    </a>
    <span class="agents-for note second cut">{description}</span>
  </span>
);

/** What it does, what waits, or why it does not. */
function NowCell({ agent }: { agent: ShownAgent }): JSX.Element {
  const state = stateOf(agent);
  if (agent.waiting > 0) {
    return (
      <span class="wait cut">
        <Icon name="approvals" /> {plural(words.waits, agent.waiting)}
      </span>
    );
  }
  if (state === "off") return <span class="third">{words.suspended}</span>;
  const why = agent.reason ?? agent.message;
  if (state !== "ready" && why !== undefined) {
    return (
      <span class={`cut ${colourOf(state)}`} title={why}>
        {why}
      </span>
    );
  }
  if (agent.runs === undefined || agent.runs === 0)
    return <span class="second">{agent.runs === 0 ? words.idle : ""}</span>;
  return <span>{plural(words.runs, agent.runs)}</span>;
}

const LastCell = ({ at }: { at: string | undefined }) => (
  <span class="note second">{at === undefined ? words.never : <Age at={at} />}</span>
);

function DayCell({ day }: { day: OfDay | undefined }): JSX.Element {
  const values = day?.calls ?? Array.from({ length: 24 }, () => 0);
  return (
    <span class="row agents-day">
      <Bars values={values} failed={day?.errors ?? []} />
      <span class="note second tabular">{tellNumber(values.reduce((sum, value) => sum + value, 0))}</span>
    </span>
  );
}
