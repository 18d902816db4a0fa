// The home of the page: what needs a person, and all agents with what they do now or why not. Filter, facet and order are in the address.
import { agentsResource, agentsUri, type ShownAgent } from "../../data/agents.ts";
import { usePage, useResource } from "../../page.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Facets, FilterField } from "../../parts/field.tsx";
import { Empty, LoadedView } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { hasRole } from "../../session/caller.ts";
import { agentsWords as words } from "../../words/agents.ts";
import { fill, tellNumber } from "../../words/fill.ts";
import { stateWords } from "../../words/states.ts";
import { agentFacets, isShownFacet, listAgents, readFacet, readSort } from "./agent-rows.ts";
import { AgentTable } from "./agent-table.tsx";
import { NeedsYou } from "./needs-you.tsx";

export function AgentsView() {
  const agents = useResource(agentsUri, agentsResource);
  const count = agents.value.data?.length;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.title}</h1>
        {count !== undefined && <span class="second tabular">{tellNumber(count)}</span>}
        <span class="space" />
        <NewAgent />
      </div>
      <LoadedView what={words.what} from={agents}>
        {(data) => (data.length === 0 ? <FirstSight /> : <AgentList agents={data} />)}
      </LoadedView>
    </>
  );
}

function NewAgent() {
  const caller = usePage().caller.value;
  if (caller === undefined) return null;
  if (caller.management !== "readWrite") return <span class="note second agents-read-only">{words.readOnly}</span>;
  if (!hasRole(caller, "admin")) {
    const said = { role: caller.role, action: words.creating, needed: "admin" };
    return <span class="note second agents-read-only">{fill(stateWords.needsRole, said)}</span>;
  }
  return (
    <ButtonLink href={link(["agents", "new"])} icon="plus">
      {words.newAgent}
    </ButtonLink>
  );
}

function AgentList({ agents }: { agents: readonly ShownAgent[] }) {
  const { router } = usePage();
  const { query } = router.route.value;
  const [text, facet, sort] = [query.get("q") ?? "", readFacet(query.get("state")), readSort(query.get("sort"))];
  const { rows, found } = listAgents(agents, { query: text, facet, sort });
  const facets = agentFacets
    .map((value) => ({
      value,
      label: words.facetNames[value],
      count: listAgents(found, { query: "", facet: value, sort }).rows.length,
    }))
    .filter(({ value, count }) => isShownFacet(value, count, facet));
  const clear = () => router.setQuery({ q: undefined, state: undefined });
  return (
    <>
      <NeedsYou agents={agents} />
      <div class="row wrap agents-filter">
        <FilterField label={words.filter} value={text} onInput={(q) => router.setQuery({ q })} />
        <Facets
          label={words.facets}
          value={facet}
          facets={facets}
          onChoose={(state) => router.setQuery({ state: state === "all" ? undefined : state })}
        />
        {rows.length < agents.length && (
          <span class="note second tabular" role="status">
            {fill(words.of, { shown: rows.length, all: agents.length })}
          </span>
        )}
      </div>
      <AgentTable
        rows={rows}
        sort={sort}
        empty={
          <Empty title={fill(words.none, { count: agents.length })}>
            <Button onPress={clear}>{stateWords.clear}</Button>
          </Empty>
        }
      />
    </>
  );
}

/** Without any agent: what to do next, in three lines. */
function FirstSight() {
  const { config } = usePage();
  const { instance, namespace, local } = config;
  return (
    <Empty title={words.firstTitle}>
      <ol class="stack agents-first">
        <li>{fill(words.firstOne, { instance })}</li>
        <li>
          {local ? (
            words.firstTwoLocal
          ) : (
            <>
              {words.firstTwo} <code>{fill(words.firstTwoCommand, { namespace })}</code>
            </>
          )}
        </li>
        <li>{words.firstThree}</li>
      </ol>
      <NewAgent />
    </Empty>
  );
}
