// The last calls of an agent that have ended: what came of each, who asked, when, how long it took and what it has cost.
import type { JSX } from "preact";
import type { ShownEndedRun } from "../../../data/agent-parts.ts";
import { Mark, type MarkState } from "../../../parts/mark.tsx";
import { Table, type Column } from "../../../parts/table.tsx";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { tellDuration } from "../../../words/times.ts";
import { keyOfRun, runColumns, useRunRowHeight } from "./run-columns.tsx";

const marks: Record<ShownEndedRun["outcome"], MarkState> = {
  ok: "ready",
  error: "error",
  cancelled: "off",
  invalid: "degraded",
};

const columns: readonly Column<ShownEndedRun>[] = [
  {
    key: "outcome",
    title: words.outcome,
    render: ({ outcome }) => <Mark state={marks[outcome]} word={words.ended[outcome]} isShort />,
  },
  ...runColumns,
  {
    key: "took",
    title: words.took,
    numeric: true,
    render: ({ started_at: from, ended_at: to }) => tellDuration(Math.max(0, Date.parse(to) - Date.parse(from))),
  },
];

export function EndedRuns({ name, runs }: { name: string; runs: readonly ShownEndedRun[] }): JSX.Element {
  const rowHeight = useRunRowHeight();
  const label = fill(words.endedTable, { agent: name });
  return (
    <section class="stack">
      <h2>{plural(words.endedTitle, runs.length)}</h2>
      <Table kind="agent-ended" rows={runs} keyOf={keyOfRun} {...{ label, columns, rowHeight }} />
      <p class="note third">{words.runsNote}</p>
    </section>
  );
}
