// The log of calls of tools: filters, which are in the address, and the calls, the newest first. One is opened in a sheet.
import { useMemo, useRef } from "preact/hooks";
import type { JSX } from "preact";
import type { LogEntry } from "../../data/calls.ts";
import { usePage } from "../../page.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Facets, FilterField } from "../../parts/field.tsx";
import { Empty } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { callWords as words } from "../../words/calls.ts";
import { fill, plural } from "../../words/fill.ts";
import { CallTable } from "./call-table.tsx";
import { choicesOf, filterLog, hasOutcome, isFiltered, outcomes, readLogFilter, type LogFilter } from "./log-filter.ts";
import { useHeld } from "./use-held.ts";

export function CallLog({ entries, total }: { entries: readonly LogEntry[]; total: number }): JSX.Element {
  const { router } = usePage();
  const { query } = router.route.value;
  const frame = useRef<HTMLDivElement>(null);
  const { shown, waiting, show, holds } = useHeld(entries, frame);
  const filter = useMemo(() => readLogFilter(query), [query]);
  const { found, rows } = useMemo(() => filterLog(shown, filter), [shown, filter]);
  if (entries.length === 0) return <NoCalls />;
  const count = plural(words.shown, shown.length);
  return (
    <section class="calls-log">
      <div class="row wrap">
        <h2>{words.log}</h2>
        <span class="second tabular">
          {isFiltered(filter) ? fill(words.shownOf, { n: rows.length, all: count }) : count}
        </span>
        {waiting > 0 && (
          <button type="button" class="button small calls-new" onClick={show}>
            {plural(words.fresh, waiting)}
          </button>
        )}
      </div>
      <Filters all={shown} found={found} filter={filter} />
      <div ref={frame} class="calls-frame" {...holds}>
        <CallTable rows={rows} empty={<NoneOf filter={filter} count={shown.length} />} />
      </div>
      {total > entries.length && <p class="note third">{fill(words.kept, { n: entries.length, total })}</p>}
    </section>
  );
}

interface FiltersProps {
  all: readonly LogEntry[];
  found: readonly LogEntry[];
  filter: LogFilter;
}

function Filters({ all, found, filter }: FiltersProps): JSX.Element {
  const { router } = usePage();
  const facets = outcomes.map((outcome) => ({
    value: outcome,
    label: words.outcomes[outcome],
    count: found.filter((entry) => hasOutcome(entry, outcome)).length,
  }));
  return (
    <div class="row wrap calls-filter">
      <FilterField label={words.filter} value={filter.tool} onInput={(tool) => router.setQuery({ tool })} />
      <Choose
        label={words.server}
        any={words.anyServer}
        value={filter.server}
        choices={choicesOf(all, "server", filter.server)}
        onChoose={(server) => router.setQuery({ server })}
      />
      <Choose
        label={words.caller}
        any={words.anyCaller}
        value={filter.caller}
        choices={choicesOf(all, "caller", filter.caller)}
        onChoose={(caller) => router.setQuery({ caller })}
      />
      <Facets
        label={words.outcome}
        value={filter.outcome}
        facets={facets}
        onChoose={(outcome) => router.setQuery({ outcome: outcome === "all" ? undefined : outcome })}
      />
    </div>
  );
}

interface ChooseProps {
  label: string;
  /** What is seen while nothing is chosen. */
  any: string;
  value: string;
  choices: readonly string[];
  onChoose(value: string): void;
}

const Choose = ({ label, any, value, choices, onChoose }: ChooseProps) => (
  <select
    class="calls-choose"
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  >
    <option value="">{any}</option>
    {choices.map((each) => (
      <option key={each} value={each}>
        {each}
      </option>
    ))}
  </select>
);

function NoneOf({ filter, count }: { filter: LogFilter; count: number }): JSX.Element {
  const { router } = usePage();
  const title =
    filter.tool === ""
      ? plural(words.noneOf, count)
      : fill(words.noneOfQuery, { n: count, query: filter.tool.slice(0, 80) });
  const none = { tool: undefined, server: undefined, caller: undefined, agent: undefined, outcome: undefined };
  return (
    <Empty title={title}>
      <button type="button" class="button" onClick={() => router.setQuery(none)}>
        {words.clear}
      </button>
    </Empty>
  );
}

const NoCalls = () => (
  <div class="card">
    <Empty title={words.empty}>
      <p>{words.emptyNext}</p>
      <ButtonLink href={link(["tester"])} icon="tester">
        {words.try}
      </ButtonLink>
    </Empty>
  </div>
);
