// The search for tools: one field, which takes several questions, a line that says what was found, the results, and one of them beside
// them word by word.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import { serversResource, serversUri, type ShownServer } from "../../data/servers.ts";
import { Problem } from "../../connect/problem.ts";
import { usePage, useResource } from "../../page.ts";
import { Empty, LoadingRows, NeedsRole, ProblemBox } from "../../parts/view-states.tsx";
import { fill, plural, tellNumber } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { connectWords } from "../../words/connect.ts";
import { tellDuration } from "../../words/times.ts";
import { parseFound, type Hit, type Intent } from "./found.ts";
import { IntentResults } from "./intent-results.tsx";
import { QuestionField } from "./question-field.tsx";
import { createSearch, type SearchState } from "./search.ts";
import { ToolPanel } from "./tool-panel.tsx";

export function SearchView(): JSX.Element {
  const { caller } = usePage();
  if (caller.value === undefined) return <LoadingRows rows={4} />;
  return (
    <NeedsRole needed="caller" action={words.needs.search}>
      <Searching />
    </NeedsRole>
  );
}

/** A longer question stays in the field alone. */
const maxRouteChars = 1_500;
const fitsRoute = (text: string): boolean => encodeURIComponent(text).length <= maxRouteChars;

function useSearch() {
  const { connection, time, router } = usePage();
  const search = useMemo(
    () =>
      createSearch({
        time,
        async ask(intents, signal) {
          // Looking for a tool here puts it into nobody's list.
          const args = { action: "find_tools", intents, auto_activate: false };
          const { structured } = await connection.call("registry", args, signal);
          try {
            return parseFound(structured, intents);
          } catch (error) {
            throw new Problem("refused", connectWords.strange, { cause: error });
          }
        },
        onAsk(text) {
          if (router.route.peek().path[0] !== "discover") return;
          router.setQuery({ q: fitsRoute(text) ? text.trim() : undefined, tool: undefined });
        },
      }),
    [connection, time, router],
  );
  useEffect(() => search.stop, [search]);
  return search;
}

function Searching(): JSX.Element {
  const { router, announcer, connection } = usePage();
  const search = useSearch();
  const [text, setText] = useState(() => router.route.peek().query.get("q") ?? "");
  const servers = useResource(serversUri, serversResource).value.data;
  const state = search.state.value;
  const isLive = connection.state.value.kind === "live";
  const wanted = router.route.value.query.get("q") ?? "";
  useEffect(() => {
    // A link, Back, or the connection that came: what the address asks for.
    const asked = search.state.peek().asked.trim();
    if (!isLive || wanted === asked || (wanted === "" && !fitsRoute(asked))) return;
    setText(wanted);
    const tool = router.route.peek().query.get("tool");
    search.now(wanted);
    router.setQuery({ tool });
  }, [wanted, isLive, search, router]);
  useEffect(() => {
    if (state.intents !== undefined && !state.isAsking) announcer.say(tellAloud(state.intents));
  }, [state.intents]);
  return (
    <>
      <QuestionField
        value={text}
        onInput={(value) => {
          setText(value);
          search.type(value);
        }}
        onEnter={() => search.now(text)}
      />
      <Found state={state} servers={servers} again={() => search.now(text)} />
    </>
  );
}

interface FoundProps {
  state: SearchState;
  servers: readonly ShownServer[] | undefined;
  again(): void;
}

function Found({ state, servers, again }: FoundProps): JSX.Element {
  const { router } = usePage();
  const { intents, problem, isAsking } = state;
  if (problem !== undefined) return <ProblemBox what={words.what} problem={problem} again={again} />;
  if (intents === undefined) {
    if (isAsking) return <LoadingRows rows={4} />;
    return (
      <Empty title={words.example}>
        <p>{words.examples}</p>
      </Empty>
    );
  }
  const hits = intents.flatMap(({ best, others }) => [...(best === undefined ? [] : [best]), ...others]);
  const chosen = router.route.value.query.get("tool");
  const firstFound = intents.find(({ best }) => best !== undefined)?.best;
  const selected = hits.find(({ callAs }) => callAs === chosen) ?? firstFound;
  const intent = intents.find(({ best, others }) => best === selected || others.some((each) => each === selected));
  return (
    <>
      <Summary state={state} hits={hits} intents={intents} servers={servers} />
      <div class={selected === undefined ? "discover-split" : "discover-split open"} aria-busy={isAsking}>
        <div class="discover-results">
          {intents.map((each, index) => (
            <IntentResults
              key={`${index} ${each.question}`}
              intent={each}
              isAlone={intents.length === 1}
              {...{ selected, servers }}
            />
          ))}
        </div>
        {selected !== undefined && intent !== undefined && (
          <ToolPanel key={selected.callAs} hit={selected} intent={intent} servers={servers} />
        )}
      </div>
    </>
  );
}

interface SummaryProps {
  state: SearchState;
  hits: readonly Hit[];
  intents: readonly Intent[];
  servers: readonly ShownServer[] | undefined;
}

function Summary({ state, hits, intents, servers }: SummaryProps): JSX.Element {
  const total = servers?.reduce((all, { tool_count }) => all + tool_count, 0);
  // Agents are found too, and are no tools of these servers.
  const areTheirs = hits.every((hit) => servers?.some(({ name }) => name === hit.server));
  const ms = tellDuration(state.tookMs);
  const found = plural(words.found, hits.length);
  return (
    <p class="note second discover-summary">
      {intents.length > 1 && `${plural(words.questions, intents.length)}: `}
      {total === undefined || !areTheirs
        ? fill(words.summary, { found, ms })
        : fill(words.summaryOf, { found, total: tellNumber(total), ms })}
      {intents.some(({ isDegraded }) => isDegraded) && ` ${words.degraded}`}
    </p>
  );
}

function tellAloud(intents: readonly Intent[]): string {
  const [first] = intents;
  if (intents.length !== 1 || first === undefined) return plural(words.questions, intents.length);
  const { best, others } = first;
  if (best === undefined) return words.saidNothing;
  const { confidence, server = "", tool } = best;
  return fill(words.said, {
    confidence: words.confidence[confidence],
    tool: fill(words.serverTool, { server, tool }),
    others: plural(words.saidOthers, others.length),
  });
}
