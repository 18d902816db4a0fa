// The view of the directory: agents, tool servers and what else registered itself, and how alive each is. One is opened beside the table, or
// where there is no room in its place.
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { directoryResource, directoryUri, type ShownEntry } from "../../data/directory.ts";
import { usePage, useResource } from "../../page.ts";
import { Facets, FilterField } from "../../parts/field.tsx";
import { narrow, useMedia } from "../../parts/use-media.ts";
import { Empty, Gone, LoadedView, useGoneAt } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill, plural } from "../../words/fill.ts";
import { directoryWords as words } from "../../words/directory.ts";
import { DirectoryTable } from "./directory-table.tsx";
import { facets, kinds, listEntries, livenessOf, readFacet, readKind, type DirectoryFilter } from "./directory-list.ts";
import { EntryPanel } from "./entry-panel.tsx";

export function DirectoryView(): JSX.Element {
  const { router } = usePage();
  const directory = useResource(directoryUri, directoryResource);
  const selected = router.route.value.path[1];
  const isNarrow = useMedia(narrow);
  const { data } = directory.value;
  return (
    <>
      <header class="head">
        {selected === undefined ? <h1 tabIndex={-1}>{words.title}</h1> : <p class="directory-title">{words.title}</p>}
        {data !== undefined && <span class="second">{plural(words.count, data.totalCount)}</span>}
      </header>
      <LoadedView what={words.what} from={directory}>
        {({ items, totalCount }) => (
          <div class={selected === undefined ? "directory-split" : "directory-split open"}>
            {!(isNarrow && selected !== undefined) && <List items={items} total={totalCount} selected={selected} />}
            {selected !== undefined && <Selected key={selected} items={items} id={selected} />}
          </div>
        )}
      </LoadedView>
    </>
  );
}

function Selected({ items, id }: { items: readonly ShownEntry[]; id: string }): JSX.Element {
  const { router } = usePage();
  const back = link(["directory"], Object.fromEntries(router.route.value.query));
  const entry = items.find((each) => each.id === id);
  const goneAt = useGoneAt(id, entry !== undefined);
  if (entry !== undefined) return <EntryPanel entry={entry} back={back} />;
  return (
    <section class="card">
      <h1 tabIndex={-1} class="unseen">
        {id}
      </h1>
      <Gone what={words.entry} name={id} backTo={words.backTo} backHref={back} goneAt={goneAt} />
    </section>
  );
}

interface ListProps {
  items: readonly ShownEntry[];
  total: number;
  selected: string | undefined;
}

function List({ items, total, selected }: ListProps): JSX.Element {
  const { query: values } = usePage().router.route.value;
  const filter = useMemo(
    () => ({
      query: values.get("q") ?? "",
      facet: readFacet(values.get("state")),
      kind: readKind(values.get("kind")),
    }),
    [values],
  );
  const { found, rows } = useMemo(() => listEntries(items, filter), [items, filter]);
  if (items.length === 0) {
    return (
      <div class="card">
        <Empty title={words.empty}>
          <p>{words.emptyNext}</p>
        </Empty>
      </div>
    );
  }
  return (
    <div class="directory-list">
      <Filters filter={filter} found={found} />
      <DirectoryTable rows={rows} selected={selected} empty={<NoneOf query={filter.query} count={items.length} />} />
      {total > items.length && <p class="note second">{fill(words.shownOf, { n: items.length, total })}</p>}
    </div>
  );
}

function Filters({ filter, found }: { filter: DirectoryFilter; found: readonly ShownEntry[] }): JSX.Element {
  const { router } = usePage();
  const counted = facets.map((facet) => ({
    value: facet,
    label: words.facet[facet],
    count: found.filter((entry) => facet === "all" || livenessOf(entry) === facet).length,
  }));
  return (
    <div class="row wrap directory-filter">
      <FilterField label={words.filter} value={filter.query} onInput={(q) => router.setQuery({ q })} />
      <select
        class="directory-kind"
        aria-label={words.kindFacets}
        value={filter.kind ?? ""}
        onChange={({ currentTarget }) => router.setQuery({ kind: currentTarget.value })}
      >
        <option value="">{words.anyKind}</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {words.kinds[kind]}
          </option>
        ))}
      </select>
      <Facets
        label={words.facets}
        value={filter.facet}
        facets={counted}
        onChoose={(state) => router.setQuery({ state: state === "all" ? undefined : state })}
      />
    </div>
  );
}

function NoneOf({ query, count }: { query: string; count: number }): JSX.Element {
  const { router } = usePage();
  const title = query === "" ? plural(words.none, count) : fill(words.noneOf, { n: count, query: query.slice(0, 80) });
  return (
    <Empty title={title}>
      <button
        type="button"
        class="button"
        onClick={() => router.setQuery({ q: undefined, state: undefined, kind: undefined })}
      >
        {words.clear}
      </button>
    </Empty>
  );
}
