// The rows of the log: when, what came of it, tool, caller and how long. On a phone two lines a row.
import type { JSX } from "preact";
import type { LogEntry } from "../../data/calls.ts";
import { usePage } from "../../page.ts";
import { Mark } from "../../parts/mark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { phone, useMedia } from "../../parts/use-media.ts";
import { link } from "../../route/route.ts";
import { callWords as words } from "../../words/calls.ts";
import { tellClockWithSeconds, tellDuration, tellExact } from "../../words/times.ts";
import { fill } from "../../words/fill.ts";
import { tellCallKind } from "./call-kind.ts";

const rowHeights = { phone: 60, compact: 36, plain: 44 } as const;
const keyOf = ({ id }: LogEntry): string => String(id);

export function CallTable({ rows, empty }: { rows: readonly LogEntry[]; empty: JSX.Element }): JSX.Element {
  const { router, settings } = usePage();
  const isPhone = useMedia(phone);
  const query = Object.fromEntries(router.route.value.query);
  const columns: Column<LogEntry>[] = [
    { key: "when", title: words.columns.when, render: ({ timestamp }) => <When at={timestamp} /> },
    {
      key: "outcome",
      title: words.columns.outcome,
      render: ({ success }) => (
        <Mark state={success ? "ready" : "error"} word={success ? words.answered : words.failed} isShort />
      ),
    },
    {
      key: "tool",
      title: words.columns.tool,
      render: (entry) => <ToolCell entry={entry} href={link(["calls"], { ...query, call: String(entry.id) })} />,
    },
    {
      key: "caller",
      title: words.columns.caller,
      render: ({ caller }) => (
        <span class="cut second" title={caller}>
          {caller === "" ? words.nothing : caller}
        </span>
      ),
    },
    {
      key: "took",
      title: words.columns.took,
      numeric: true,
      render: ({ latency_ms: ms }) => tellDuration(ms),
    },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights[settings.compact.value ? "compact" : "plain"];
  // The call that is opened is no filter.
  const asked = JSON.stringify({ ...query, call: "" });
  return <Table label={words.table} kind="calls" {...{ rows, keyOf, columns, rowHeight, asked, empty }} />;
}

function When({ at }: { at: string }): JSX.Element {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={tellExact(time)} class="tabular second">
      {tellClockWithSeconds(time)}
    </time>
  );
}

function ToolCell({ entry, href }: { entry: LogEntry; href: string }): JSX.Element {
  const { server, tool, kind, caller, timestamp } = entry;
  const name = fill(words.open, { server, tool, time: tellClockWithSeconds(Date.parse(timestamp)) });
  return (
    <span class="calls-tool">
      <a class="whole-row mono cut" href={href} aria-label={name}>
        <span class="second">{server} / </span>
        {tool}
      </a>
      {kind !== "call" && <span class="note third">{tellCallKind(kind)}</span>}
      <span class="calls-by note second cut">{caller}</span>
    </span>
  );
}
