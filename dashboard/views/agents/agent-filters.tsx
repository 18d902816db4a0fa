// What narrows the table: words, a state, a model. All of it stands in the address; counts are of what the words and the model leave.
import type { JSX } from "preact";
import type { ShownAgent } from "../../data/agents.ts";
import { usePage } from "../../page.ts";
import { Facets, FilterField } from "../../parts/field.tsx";
import { agentsWords as words } from "../../words/agents.ts";
import { fill } from "../../words/fill.ts";
import { agentFacets, isInFacet, modelsOf, readFacet, type AgentFacet } from "./agent-rows.ts";

/** The others show where there are such agents. */
const lasting: readonly AgentFacet[] = ["all", "ready", "degraded", "error"];

interface AgentFiltersProps {
  all: readonly ShownAgent[];
  found: readonly ShownAgent[];
  /** How many rows are left. */
  shown: number;
}

export function AgentFilters({ all, found, shown }: AgentFiltersProps): JSX.Element {
  const { router } = usePage();
  const { query: values } = router.route.value;
  const facet = readFacet(values.get("state"));
  const facets = agentFacets
    .map((each) => ({
      value: each,
      label: words.facet[each],
      count: found.filter((agent) => isInFacet(agent, each)).length,
      ...(each !== "all" && { mark: each }),
    }))
    .filter(({ value, count }) => lasting.includes(value) || value === facet || count > 0);
  return (
    <div class="row wrap agents-filter">
      <FilterField label={words.filter} value={values.get("q") ?? ""} onInput={(q) => router.setQuery({ q })} />
      <Facets
        label={words.facets}
        value={facet}
        facets={facets}
        onChoose={(state) => router.setQuery({ state: state === "all" ? undefined : state })}
      />
      <ModelChoice all={all} model={values.get("model") ?? ""} />
      {shown < all.length && (
        <span class="second note tabular" role="status">
          {fill(words.countOf, { n: shown, all: all.length })}
        </span>
      )}
    </div>
  );
}

/** Nothing to choose where all run on one; in narrow windows the words alone narrow, unless one was chosen. */
function ModelChoice({ all, model }: { all: readonly ShownAgent[]; model: string }): JSX.Element | null {
  const { router } = usePage();
  const models = modelsOf(all);
  if (models.length < 2 && model === "") return null;
  return (
    <select
      class={model === "" ? "agents-model" : "agents-model chosen"}
      aria-label={words.model}
      value={model}
      onChange={(event) => router.setQuery({ model: event.currentTarget.value })}
    >
      <option value="">{words.anyModel}</option>
      {[...new Set([...models, ...(model === "" ? [] : [model])])].map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}
