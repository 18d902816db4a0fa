// The table of the directory: how alive, name and what for, kind, where it is reached, labels and owner. On a phone two lines a row.
import type { JSX } from "preact";
import type { Liveness, ShownEntry } from "../../data/directory.ts";
import { usePage } from "../../page.ts";
import { Mark, type MarkState } from "../../parts/mark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { phone, useMedia } from "../../parts/use-media.ts";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { directoryWords as words } from "../../words/directory.ts";
import { livenessOf, renderLabels } from "./directory-list.ts";

const rowHeights = { phone: 60, compact: 36, plain: 44 } as const;
const keyOf = ({ id }: ShownEntry): string => id;
const marks = { live: "ready", unknown: "starting", dead: "error" } as const satisfies Record<Liveness, MarkState>;

export const LivenessMark = ({ liveness, isShort = false }: { liveness: Liveness; isShort?: boolean }) => (
  <Mark state={marks[liveness]} word={words.liveness[liveness]} isShort={isShort} />
);

interface DirectoryTableProps {
  rows: readonly ShownEntry[];
  selected: string | undefined;
  empty: JSX.Element;
}

export function DirectoryTable({ rows, selected, empty }: DirectoryTableProps): JSX.Element {
  const { router, settings } = usePage();
  const isPhone = useMedia(phone);
  const query = Object.fromEntries(router.route.value.query);
  const columns: Column<ShownEntry>[] = [
    {
      key: "liveness",
      title: words.columns.liveness,
      render: (entry) => <LivenessMark liveness={livenessOf(entry)} isShort />,
    },
    {
      key: "name",
      title: words.columns.name,
      render: (entry) => <NameCell entry={entry} href={link(["directory", entry.id], query)} />,
    },
    { key: "kind", title: words.columns.kind, render: ({ kind }) => <span class="second">{words.kinds[kind]}</span> },
    { key: "endpoints", title: words.columns.endpoints, render: (entry) => <Endpoints entry={entry} /> },
    { key: "labels", title: words.columns.labels, render: (entry) => <Cut text={renderLabels(entry).join(", ")} /> },
    { key: "owner", title: words.columns.owner, render: ({ ownerId }) => <Cut text={ownerId ?? ""} /> },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights[settings.compact.value ? "compact" : "plain"];
  return (
    <Table
      label={words.table}
      kind="directory"
      {...{ rows, keyOf, columns, rowHeight, empty }}
      asked={JSON.stringify(query)}
      {...(selected !== undefined && { selected })}
    />
  );
}

const NameCell = ({ entry: { name, description, kind }, href }: { entry: ShownEntry; href: string }) => (
  <span class="directory-name">
    <a class="whole-row cut" href={href}>
      {name}
    </a>
    {description !== null && <span class="directory-for note second cut">{description}</span>}
    <span class="directory-of note second cut">{words.kinds[kind]}</span>
  </span>
);

const Cut = ({ text }: { text: string }) => (
  <span class="cut second" title={text}>
    {text === "" ? words.nothing : text}
  </span>
);

function Endpoints({ entry: { endpoints } }: { entry: ShownEntry }): JSX.Element {
  const [first] = endpoints;
  if (first === undefined) return <Cut text="" />;
  return (
    <span class="directory-addresses">
      <span class="mono second cut" title={first.address}>
        {first.address}
      </span>
      {endpoints.length > 1 && <span class="note third">{fill(words.more, { n: endpoints.length - 1 })}</span>}
    </span>
  );
}
