// Browsing what others publish: asked when somebody says so, since it asks strangers' hosts. What a source did not answer is said, and
// what the others found stands beside it.
import { useEffect, useState } from "preact/hooks";
import type { JSX } from "preact";
import type { Problem } from "../../connect/problem.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { Facets, FilterField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Empty, LoadingRows, ProblemBox } from "../../parts/view-states.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { fill, plural } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { InstallSheet } from "./install-sheet.tsx";
import { joinPages, type Browsed, type BrowsedSource, type Published } from "./published.ts";
import { PublishedCard } from "./published-card.tsx";
import { isNotConfigured, useBrowse } from "./use-browse.ts";

const maxQueryChars = 200;

export function InstallView(): JSX.Element {
  const { router } = usePage();
  const asked = router.route.value.query.get("q") ?? "";
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  const { pages, problem, isAsking, more, again } = useBrowse(asked);
  const submit = () => router.setQuery({ q: text.trim().slice(0, maxQueryChars), source: undefined });
  return (
    <>
      <form
        class="row wrap discover-browse"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <FilterField label={words.browseField} value={text} onInput={setText} big />
        <Button type="submit" onPress={() => undefined}>
          {words.browse}
        </Button>
      </form>
      {problem !== undefined && <BrowseProblem problem={problem} again={again} />}
      {asked === "" && problem === undefined && (
        <Empty title={words.browseStart}>
          <p>{words.browseStartNext}</p>
        </Empty>
      )}
      {pages.length === 0 && problem === undefined && isAsking && <LoadingRows rows={4} />}
      {pages.length > 0 && <BrowsedList query={asked} {...{ pages, isAsking, more }} />}
    </>
  );
}

function BrowseProblem({ problem, again }: { problem: Problem; again: () => void }): JSX.Element {
  if (!isNotConfigured(problem)) return <ProblemBox what={words.browseWhat} problem={problem} again={again} />;
  return (
    <div class="card">
      <Empty title={words.notConfigured}>
        <p>{problem.message}</p>
      </Empty>
    </div>
  );
}

interface BrowsedListProps {
  query: string;
  pages: readonly Browsed[];
  isAsking: boolean;
  more: (() => void) | undefined;
}

const all = "";

function BrowsedList({ query, pages, isAsking, more }: BrowsedListProps): JSX.Element {
  const { router } = usePage();
  const [looksAt, setLooksAt] = useState<Published | undefined>(undefined);
  const servers = joinPages(pages);
  const sources = pages.at(-1)?.sources ?? [];
  const source = router.route.value.query.get("source") ?? all;
  const shown = servers.filter((each) => source === all || each.source === source);
  const facets = [
    { value: all, label: words.allSources, count: servers.length },
    ...sources.map(({ name }) => ({
      value: name,
      label: name,
      count: servers.filter((each) => each.source === name).length,
    })),
  ];
  return (
    <div class="stack" aria-busy={isAsking}>
      <Facets
        label={words.sources}
        value={source}
        facets={facets}
        onChoose={(value) => router.setQuery({ source: value })}
      />
      <SourceProblems sources={sources} />
      {shown.length === 0 ? (
        <Empty title={plural(words.noneFound, sources.length, { query: query.slice(0, 80) })} />
      ) : (
        <ul class="card" aria-label={words.published}>
          {shown.map((each) => (
            <PublishedCard key={`${each.source}\n${each.name}`} published={each} onLook={() => setLooksAt(each)} />
          ))}
        </ul>
      )}
      {more !== undefined && (
        <div class="row">
          <Button onPress={more}>{isAsking ? words.browsing : words.more}</Button>
        </div>
      )}
      {looksAt !== undefined && <InstallSheet published={looksAt} onClose={() => setLooksAt(undefined)} />}
    </div>
  );
}

function SourceProblems({ sources }: { sources: readonly BrowsedSource[] }): JSX.Element {
  const failed = sources.filter(({ status }) => status === "failed");
  const partly = sources.filter(({ left_out = 0 }) => left_out > 0);
  const isAnyLeft = failed.length < sources.length;
  return (
    <>
      {failed.map(({ name, error = "" }) => (
        <p key={name} class="warn row" role="status">
          <Icon name="degraded" />
          <span>
            <ValueText text={fill(words.sourceFailed, { source: name, reason: error })} />
          </span>
        </p>
      ))}
      {failed.length > 0 && isAnyLeft && <p class="note second">{words.sourcesFailed}</p>}
      {partly.map(({ name, left_out = 0 }) => (
        <p key={name} class="note second">
          {plural(words.leftOut, left_out, { source: name })}
        </p>
      ))}
    </>
  );
}
