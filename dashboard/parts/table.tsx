// A table of any length: at most so many rows are in the page, the numbers of all of them are told. A row is one link. While the pointer
// or the focus is inside, order stays as it was and values change in place; what would move waits, and says that it does.
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { plural } from "../words/fill.ts";
import { stateWords } from "../words/states.ts";
import { useSteadyRows } from "./steady-rows.ts";

export interface Column<Row> {
  key: string;
  title: string;
  render(row: Row): ComponentChildren;
  /** Sorted by it now. */
  sorted?: "ascending" | "descending" | undefined;
  onSort?: (() => void) | undefined;
  numeric?: boolean;
}

export interface TableProps<Row> {
  label: string;
  /** Of the grid's columns in CSS: `.table.agents`. */
  kind: string;
  rows: readonly Row[];
  keyOf(row: Row): string;
  columns: readonly Column<Row>[];
  rowHeight: number;
  selected?: string | undefined;
  /** Filter and order as the person chose them, as a text: another shows at once. */
  asked?: string | undefined;
  /** Instead of rows. */
  empty?: ComponentChildren;
}

/** Rows in the page: a screen's and some before and behind it. */
const maxRows = 60;
const overscan = 8;

/** Which rows are in sight, by where the table stands in the window. */
function useVisibleRange(body: RefObject<HTMLDivElement | null>, count: number, rowHeight: number): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, Math.min(count, maxRows)]);
  useLayoutEffect(() => {
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowHeight) - overscan);
      const start = Math.max(0, Math.min(first, count - 1));
      const inSight = Math.ceil(window.innerHeight / rowHeight) + 2 * overscan;
      const end = Math.min(count, start + Math.min(maxRows, inSight));
      setRange((before) => (before[0] === start && before[1] === end ? before : [start, end]));
    };
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    return () => {
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [body, count, rowHeight]);
  return range;
}

function Head<Row>({ columns, kind }: Pick<TableProps<Row>, "columns" | "kind">): JSX.Element {
  return (
    <div role="row" aria-rowindex={1} class={`table-row table-head ${kind}`}>
      {columns.map(({ key, title, sorted, onSort, numeric }) => (
        <span
          key={key}
          role="columnheader"
          class={numeric === true ? "numeric" : ""}
          {...(sorted !== undefined && { "aria-sort": sorted })}
        >
          {onSort === undefined ? (
            title
          ) : (
            <button type="button" class="sort" onClick={onSort}>
              {title}
              {sorted !== undefined && <span aria-hidden="true">{sorted === "ascending" ? " ↑" : " ↓"}</span>}
            </button>
          )}
        </span>
      ))}
    </div>
  );
}

export function Table<Row>({
  label,
  kind,
  rows,
  keyOf,
  columns,
  rowHeight,
  selected,
  asked,
  empty,
}: TableProps<Row>): JSX.Element {
  const body = useRef<HTMLDivElement>(null);
  const steady = useSteadyRows(rows, keyOf, asked);
  const [start, end] = useVisibleRange(body, steady.rows.length, rowHeight);
  useEffect(() => {
    if (selected === undefined) return;
    body.current?.querySelector(`[data-key="${CSS.escape(selected)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    <div class="table-frame card" {...steady.holds}>
      <div role="table" aria-label={label} aria-rowcount={steady.rows.length + 1}>
        <div role="rowgroup">
          <Head columns={columns} kind={kind} />
        </div>
        <div
          role="rowgroup"
          ref={body}
          class="table-body"
          style={{
            paddingBlockStart: `${start * rowHeight}px`,
            paddingBlockEnd: `${(steady.rows.length - end) * rowHeight}px`,
          }}
        >
          {steady.rows.slice(start, end).map(({ row, key, isGone, isChanged }, offset) => (
            <div
              key={key}
              role="row"
              data-key={key}
              aria-rowindex={start + offset + 2}
              class={`table-row ${kind} ${isGone ? "removed" : ""} ${isChanged ? "changed" : ""}`}
              {...(key === selected && { "aria-selected": true })}
            >
              {columns.map((column) => (
                <div
                  key={column.key}
                  role="cell"
                  class={`cell-${column.key} ${column.numeric === true ? "numeric" : ""}`}
                >
                  {column.render(row)}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
      {rows.length === 0 && empty}
      {steady.waiting > 0 && (
        <button type="button" class="table-waiting" onClick={steady.apply}>
          {plural(stateWords.changes, steady.waiting)}
        </button>
      )}
    </div>
  );
}
