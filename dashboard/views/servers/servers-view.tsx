// The view of tool servers: which there are, how they are, and whose tools are not as somebody approved them. One is opened beside the table;
// where there is no room for both it takes the table's place.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { serversResource, serversUri, type ShownServer } from "../../data/servers.ts";
import { usePage, useResource } from "../../page.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Facets, FilterField } from "../../parts/field.tsx";
import { narrow, useMedia } from "../../parts/use-media.ts";
import { Empty, Gone, LoadedView, useGoneAt } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill, plural } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { isInFacet, listServers, readFacet, readSort, serverFacets } from "./server-list.ts";
import { ServerPanel } from "./server-panel.tsx";
import { ServerTable } from "./server-table.tsx";
import { useToolNames } from "./tool-names.ts";

export function ServersView() {
  const { router } = usePage();
  const servers = useResource(serversUri, serversResource);
  const selected = router.route.value.path[1];
  const isNarrow = useMedia(narrow);
  useFocusBack(selected);
  const { data } = servers.value;
  const toolCount = data?.reduce((all, { tool_count }) => all + tool_count, 0) ?? 0;
  return (
    <>
      <header class="head">
        {/* One heading of the page: of the server where one is open. */}
        {selected === undefined ? <h1 tabIndex={-1}>{words.title}</h1> : <p class="servers-title">{words.title}</p>}
        {data !== undefined && !(isNarrow && selected !== undefined) && (
          <span class="second servers-counts">
            {fill(words.counts, {
              servers: plural(words.servers, data.length),
              tools: plural(words.tools, toolCount),
            })}
          </span>
        )}
        <span class="space" />
        <ButtonLink href={link(["discover", "install"])} icon="plus">
          {words.install}
        </ButtonLink>
      </header>
      <LoadedView what={words.what} from={servers}>
        {(all) => (
          <div class={selected === undefined ? "servers-split" : "servers-split open"}>
            {!(isNarrow && selected !== undefined) && <ServerList all={all} selected={selected} />}
            {selected !== undefined && <Selected key={selected} all={all} name={selected} />}
          </div>
        )}
      </LoadedView>
    </>
  );
}

function Selected({ all, name }: { all: readonly ShownServer[]; name: string }) {
  const { router } = usePage();
  const query = Object.fromEntries(router.route.value.query);
  const server = all.find((each) => each.name === name);
  const back = link(["servers"], query);
  const goneAt = useGoneAt(name, server !== undefined);
  if (server !== undefined) return <ServerPanel server={server} back={back} />;
  return (
    <section class="card">
      <h1 tabIndex={-1} class="unseen">
        {name}
      </h1>
      <Gone what={words.server1} name={name} backTo={words.backTo} backHref={back} goneAt={goneAt} />
    </section>
  );
}

function ServerList({ all, selected }: { all: readonly ShownServer[]; selected: string | undefined }) {
  const { router } = usePage();
  const { query: values } = router.route.value;
  const query = values.get("q") ?? "";
  const facet = readFacet(values.get("state"));
  const sort = readSort(values.get("sort"));
  const toolsOf = useToolNames(query !== "", all);
  const { rows, found } = useMemo(
    () => listServers(all, { query, facet, sort, toolsOf }),
    [all, query, facet, sort, toolsOf],
  );
  if (all.length === 0) return <NoServers />;
  const facets = serverFacets.map((each) => ({
    value: each,
    label: words.facet[each],
    count: found.filter((server) => isInFacet(server, each)).length,
  }));
  const clear = () => router.setQuery({ q: undefined, state: undefined });
  return (
    <div class="servers-list">
      <div class="row wrap servers-filter">
        <FilterField label={words.filter} value={query} onInput={(q) => router.setQuery({ q })} />
        <Facets
          label={words.facets}
          value={facet}
          facets={facets}
          onChoose={(state) => router.setQuery({ state: state === "all" ? undefined : state })}
        />
      </div>
      <ServerTable
        rows={rows}
        sort={sort}
        selected={selected}
        empty={
          <Empty
            title={
              query === ""
                ? plural(words.none, all.length)
                : fill(words.noneOf, { n: all.length, query: query.slice(0, 80) })
            }
          >
            <button type="button" class="button" onClick={clear}>
              {words.clear}
            </button>
          </Empty>
        }
      />
    </div>
  );
}

const NoServers = () => (
  <div class="card">
    <Empty title={words.empty}>
      <p>{words.emptyNext}</p>
      <ButtonLink href={link(["discover", "install"])} icon="plus">
        {words.install}
      </ButtonLink>
    </Empty>
  </div>
);

/** After a panel was closed: to the row that opened it, once the page has put the focus on the heading. */
function useFocusBack(selected: string | undefined): void {
  const { time } = usePage();
  const before = useRef(selected);
  useEffect(() => {
    const closed = selected === undefined ? before.current : undefined;
    before.current = selected;
    if (closed === undefined) return undefined;
    return time.after(0, () => {
      document.querySelector<HTMLElement>(`.servers-list [data-key="${CSS.escape(closed)}"] a`)?.focus();
    });
  }, [selected, time]);
}
