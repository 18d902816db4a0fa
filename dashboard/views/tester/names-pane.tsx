// Which server, and what of it, is tried: a list of names of any length, of which a screen's worth is in the page; two selects where there
// is no room for it.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import type { ShownServer } from "../../data/servers.ts";
import type { Offered } from "../../data/tester.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { Field, FilterField } from "../../parts/field.tsx";
import type { Answer } from "../../parts/use-answer.ts";
import { useMedia } from "../../parts/use-media.ts";
import { LoadingRows } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill, tellNumber } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";
import { filterTried, listTried, triedKinds, type PaneKind, type Tried, type TriedKind } from "./names.ts";

interface NamesPaneProps {
  all: readonly ShownServer[];
  server: string;
  kind: PaneKind;
  chosen: string | undefined;
  offered: Answer<Offered>;
}

/** The same as in the style sheet. */
const oneColumn = "(max-width: 1100px)";
/** Longer ones have a filter, and no select. */
const maxSelected = 300;
const filterFrom = 12;

export function NamesPane({ all, server, kind, chosen, offered }: NamesPaneProps): JSX.Element {
  const { data, problem, isAsking } = offered;
  return (
    <section class="card tester-names" aria-label={words.kindsLabel}>
      <div class="tester-names-head">
        <ServerSelect all={all} server={server} />
        <Kinds server={server} kind={kind} data={data} />
      </div>
      {problem !== undefined && data === undefined && (
        <div class="tester-unlisted" role="alert">
          <p class="bad">{fill(words.unlisted, { server, reason: problem.message })}</p>
          <Button small onPress={offered.again}>
            {words.listAgain}
          </Button>
        </div>
      )}
      {data === undefined && problem === undefined && isAsking && <LoadingRows rows={4} />}
      {data !== undefined && kind !== "server" && (
        <Names key={kind} server={server} kind={kind} all={listTried(data, kind)} chosen={chosen} />
      )}
    </section>
  );
}

/** The page puts the focus on the heading after each change of the address; a select keeps it. */
function useGo(): (href: string, selector: string) => void {
  const { router, time } = usePage();
  return (href, selector) => {
    router.go(href);
    time.after(50, () => document.querySelector<HTMLElement>(selector)?.focus());
  };
}

function ServerSelect({ all, server }: { all: readonly ShownServer[]; server: string }) {
  const go = useGo();
  const names = all.map(({ name }) => name);
  return (
    <Field label={words.server}>
      {(tied) => (
        <select
          {...tied}
          class="tester-server"
          value={server}
          onChange={({ currentTarget }) => go(link(["tester", currentTarget.value]), ".tester-server")}
        >
          {(names.includes(server) ? names : [server, ...names]).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Kinds({ server, kind, data }: { server: string; kind: PaneKind; data: Offered | undefined }) {
  const counts: Readonly<Record<TriedKind, number | undefined>> = {
    tools: data?.tools.length,
    resources: data && data.resources.length + data.templates.length,
    prompts: data?.prompts.length,
  };
  const kinds = [...triedKinds, "server" as const];
  return (
    <nav class="facets tester-kinds" aria-label={words.kindsLabel}>
      {kinds.map((each) => {
        const count = each === "server" ? undefined : counts[each];
        return (
          <a
            key={each}
            href={link(["tester", server, each])}
            {...(each === kind && { "aria-current": "page" as const })}
          >
            {words.kinds[each]}
            {count !== undefined && <span class="tabular"> {tellNumber(count)}</span>}
          </a>
        );
      })}
    </nav>
  );
}

interface NamesProps {
  server: string;
  kind: TriedKind;
  all: readonly Tried[];
  chosen: string | undefined;
}

function Names({ server, kind, all, chosen }: NamesProps) {
  const isNarrow = useMedia(oneColumn);
  const [query, setQuery] = useState("");
  const current = chosen ?? all[0]?.name;
  if (all.length === 0) return <p class="pad second">{words.none[kind]}</p>;
  if (isNarrow && all.length <= maxSelected) return <NameSelect {...{ server, kind, all, current }} />;
  const found = filterTried(all, query);
  return (
    <>
      {all.length >= filterFrom && (
        <div class="tester-filter">
          <FilterField label={words.filter} value={query} onInput={setQuery} />
        </div>
      )}
      {found.length === 0 ? (
        <p class="pad second" role="status">
          {fill(words.noneOf, { n: all.length, query: query.slice(0, 80) })}
        </p>
      ) : (
        <NameList {...{ server, kind, current }} all={found} />
      )}
    </>
  );
}

interface ListProps {
  server: string;
  kind: TriedKind;
  all: readonly Tried[];
  current: string | undefined;
}

function NameSelect({ server, kind, all, current }: ListProps) {
  const go = useGo();
  return (
    <div class="tester-name-select">
      <Field label={words.name}>
        {(tied) => (
          <select
            {...tied}
            class="mono tester-name"
            value={current ?? ""}
            onChange={({ currentTarget }) => go(link(["tester", server, kind, currentTarget.value]), ".tester-name")}
          >
            {all.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

const rowHeight = 36;
const overscan = 8;
const maxShown = 60;

function NameList({ server, kind, all, current }: ListProps) {
  const box = useRef<HTMLUListElement>(null);
  const [start, setStart] = useState(0);
  const from = Math.max(0, Math.min(start - overscan, all.length - 1));
  const shown = all.slice(from, from + maxShown);
  useLayoutEffect(() => {
    const index = all.findIndex(({ name }) => name === current);
    const element = box.current;
    if (element === null || index === -1) return;
    const top = index * rowHeight;
    if (top < element.scrollTop || top + rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = top;
    // Once, and when another is chosen; not while somebody scrolls.
  }, [current]);
  return (
    <ul
      ref={box}
      class="tester-list"
      aria-label={words.names}
      onScroll={({ currentTarget }) => setStart(Math.floor(currentTarget.scrollTop / rowHeight))}
      onKeyDown={(event) => moveFocus(event, box.current)}
    >
      <li aria-hidden="true" style={{ height: `${from * rowHeight}px` }} />
      {shown.map(({ name, label }, offset) => (
        <li key={name} aria-setsize={all.length} aria-posinset={from + offset + 1}>
          <a
            href={link(["tester", server, kind, name])}
            class="mono cut"
            {...(name === current && { "aria-current": "page" as const })}
          >
            {label}
          </a>
        </li>
      ))}
      <li aria-hidden="true" style={{ height: `${(all.length - from - shown.length) * rowHeight}px` }} />
    </ul>
  );
}

/** Up and down from name to name; Tab leaves the list. */
function moveFocus(event: KeyboardEvent, list: HTMLUListElement | null): void {
  const by = event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
  if (by === 0 || list === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...list.querySelectorAll("a")];
  const next = links[links.findIndex((each) => each === document.activeElement) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
