// The table of tool servers: state, name and what for, kind, tools, median and how its definitions stand. On a phone two lines a row.
import type { JSX } from "preact";
import type { ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Chip, Mark } from "../../parts/mark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { phone, useMedia } from "../../parts/use-media.ts";
import { link } from "../../route/route.ts";
import { plural, tellNumber } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { tellDuration } from "../../words/times.ts";
import { tellKind } from "./server-kind.ts";
import { nextSort, type ServerSort } from "./server-list.ts";

const rowHeights = { phone: 64, compact: 36, plain: 44 } as const;
const keyOf = ({ name }: ShownServer): string => name;

interface ServerTableProps {
  rows: readonly ShownServer[];
  sort: ServerSort;
  selected: string | undefined;
  empty: JSX.Element;
}

export function ServerTable({ rows, sort, selected, empty }: ServerTableProps): JSX.Element {
  const { router, settings } = usePage();
  const isPhone = useMedia(phone);
  const query = Object.fromEntries(router.route.value.query);
  const sorting = (column: "name" | "tools" | "median"): Pick<Column<ShownServer>, "sorted" | "onSort"> => ({
    ...(sort === column && { sorted: "ascending" as const }),
    ...(sort === `-${column}` && { sorted: "descending" as const }),
    onSort: () => {
      const next = nextSort(sort, column);
      router.setQuery({ sort: next === "name" ? undefined : next });
    },
  });
  const columns: Column<ShownServer>[] = [
    { key: "state", title: words.state, render: ({ state }) => <Mark state={state} isShort /> },
    {
      key: "server",
      title: words.server,
      ...sorting("name"),
      render: (server) => <NameCell server={server} href={link(["servers", server.name], query)} />,
    },
    { key: "kind", title: words.kind, render: (server) => <span class="cut second">{tellKind(server)}</span> },
    {
      key: "tools",
      title: words.toolsColumn,
      numeric: true,
      ...sorting("tools"),
      render: ({ tool_count }) => (tool_count === 0 ? words.unknown : tellNumber(tool_count)),
    },
    {
      key: "median",
      title: words.median,
      numeric: true,
      ...sorting("median"),
      render: ({ median_ms }) => (median_ms === null ? words.unknown : tellDuration(median_ms)),
    },
    { key: "definitions", title: words.definitions, render: (server) => <Definitions server={server} /> },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights[settings.compact.value ? "compact" : "plain"];
  return (
    <Table
      label={words.table}
      kind="servers"
      {...{ rows, keyOf, columns, rowHeight, empty }}
      asked={JSON.stringify(query)}
      {...(selected !== undefined && { selected })}
    />
  );
}

const NameCell = ({ server, href }: { server: ShownServer; href: string }) => (
  <span class="servers-name">
    <a class="whole-row cut" href={href}>
      {server.name}
    </a>
    <span class="servers-for note second cut">{server.title ?? server.description}</span>
    <span class="servers-kind note second cut">{tellKind(server)}</span>
  </span>
);

function Definitions({ server }: { server: ShownServer }): JSX.Element {
  const { state, reason, changed_count: changed, pin } = server;
  if (changed > 0) {
    return (
      <Chip look="warn" icon="degraded">
        {plural(words.changedTools, changed)}
      </Chip>
    );
  }
  if (state === "error" && reason !== null) {
    return (
      <span title={reason} class="servers-reason">
        <Chip look="bad" icon="error">
          {reason}
        </Chip>
      </span>
    );
  }
  return <span class="note third">{pin === "off" ? words.notCompared : words.asApproved}</span>;
}
