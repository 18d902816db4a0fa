// The home of the page: which agents there are, how they are, what each does now, and above that what needs the person. Whether anything
// is wrong, and where, is seen without a click.
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { agentsResource, agentsUri, type ShownAgent } from "../../data/agents.ts";
import { callMetricsResource, callMetricsUri } from "../../data/calls.ts";
import { usePage, useResource } from "../../page.ts";
import { Empty, LoadedView, LoadingRows } from "../../parts/view-states.tsx";
import { agentsWords as words } from "../../words/agents.ts";
import { fill, plural, tellNumber } from "../../words/fill.ts";
import { AgentFilters } from "./agent-filters.tsx";
import { listAgents, readFacet, readSort } from "./agent-rows.ts";
import { AgentTable, sumCalls } from "./agent-table.tsx";
import { NeedCards } from "./need-cards.tsx";
import { NewAgent } from "./new-agent.tsx";
import { NoAgents } from "./no-agents.tsx";
import { useNeeds } from "./use-needs.ts";

export function AgentsView(): JSX.Element {
  const agents = useResource(agentsUri, agentsResource);
  const { data = [] } = agents.value;
  return (
    <>
      <header class="head">
        <h1 tabIndex={-1}>{words.title}</h1>
        {data.length > 0 && <span class="second tabular agents-count">{tellNumber(data.length)}</span>}
        <span class="space" />
        <NewAgent />
      </header>
      <LoadedView what={words.what} from={agents}>
        {(all) => (all.length === 0 ? <NoAgents /> : <AgentList all={all} />)}
      </LoadedView>
    </>
  );
}

function AgentList({ all }: { all: readonly ShownAgent[] }): JSX.Element {
  const { needs, isSettled, holds } = useNeeds(all);
  const { query, facet, model, sort, clear } = useFilter();
  const calls = useCalls();
  const { rows, found } = useMemo(() => {
    const counted = calls && new Map([...calls].map(([id, each]) => [id, sumCalls(each.calls)]));
    return listAgents(all, { query, facet, model, sort, calls: counted });
  }, [all, query, facet, model, sort, sort.endsWith("calls") ? calls : undefined]);
  if (!isSettled) return <LoadingRows />;
  const none = query === "" ? plural(words.none, all.length) : fill(words.noneOf, { n: all.length, query: cut(query) });
  return (
    <div class="agents-page">
      <NeedCards needs={needs} />
      <div class="agents-list" {...holds}>
        <AgentFilters all={all} found={found} shown={rows.length} />
        <AgentTable
          rows={rows}
          sort={sort}
          calls={calls}
          asked={[query, facet, model, sort].join("\n")}
          empty={
            <Empty title={none}>
              <button type="button" class="button" onClick={clear}>
                {words.clear}
              </button>
            </Empty>
          }
        />
      </div>
    </div>
  );
}

const cut = (text: string): string => text.slice(0, 80);

/** What the address says is to be seen. */
function useFilter() {
  const { router } = usePage();
  const { query: values } = router.route.value;
  return {
    query: values.get("q") ?? "",
    facet: readFacet(values.get("state")),
    model: values.get("model") ?? "",
    sort: readSort(values.get("sort")),
    clear: () => router.setQuery({ q: undefined, state: undefined, model: undefined }),
  };
}

/** By agent; undefined while they are not known. */
function useCalls() {
  const { data } = useResource(callMetricsUri, callMetricsResource).value;
  return useMemo(() => data && new Map(data.agents.map((each) => [each.agent_id, each])), [data]);
}
