// Calls that wait for a person, and what was decided: a list, and beside it, or in its place where there is no room, the one card that is open.
// The open card is replaced by nothing but somebody's choice.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { historyResource, historyUri, pendingResource, pendingUri, type ShownApproval } from "../../data/approvals.ts";
import { Empty, LoadedView } from "../../parts/view-states.tsx";
import { narrow, useMedia } from "../../parts/use-media.ts";
import { usePage, useResource } from "../../page.ts";
import { link } from "../../route/route.ts";
import { isTyping } from "../../shell/typing.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import { ApprovalList } from "./approval-list.tsx";
import { ApprovalCard } from "./card.tsx";
import { decidedPlace, waitingPlace, type CardPlace } from "./place.ts";
import { TellMe } from "./tell-me.tsx";

/** With room for both, the first call is opened by itself, once; afterwards only by somebody's choice. */
function useOpen(chosen: string | undefined, list: readonly ShownApproval[], isNarrow: boolean): string | undefined {
  const pinned = useRef<string | undefined>(undefined);
  if (chosen !== undefined) pinned.current = undefined;
  else if (!isNarrow) pinned.current ??= list[0]?.call_id;
  return chosen ?? (isNarrow ? undefined : pinned.current);
}

function useListKeys(list: readonly ShownApproval[], open: string | undefined, place: CardPlace): void {
  const { settings, router } = usePage();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!settings.keys.peek() || isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
      const at = list.findIndex(({ call_id }) => call_id === open);
      const to = event.key === "j" ? at + 1 : event.key === "k" ? Math.max(0, at - 1) : undefined;
      const next = to === undefined ? undefined : list[to];
      if (next !== undefined && to !== at) router.go(place.hrefOf(next.call_id));
      if (event.key === "Escape" && open !== undefined) router.go(place.listHref);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [list, open, place, settings, router]);
}

function Switch({ waiting, isDecided }: { waiting: number | undefined; isDecided: boolean }) {
  return (
    <nav class="facets approvals-switch" aria-label={words.tabs}>
      <a href={link(["approvals"])} {...(!isDecided && { "aria-current": "page" as const })}>
        {words.waiting}
        {waiting !== undefined && <span class="tabular"> {waiting.toLocaleString("en")}</span>}
      </a>
      <a href={link(["approvals", "decided"])} {...(isDecided && { "aria-current": "page" as const })}>
        {words.decided}
      </a>
    </nav>
  );
}

interface BodyProps {
  list: readonly ShownApproval[];
  waiting: readonly ShownApproval[];
  chosen: string | undefined;
  who: string | undefined;
  isDecided: boolean;
  place: CardPlace;
}

function NothingThere({ isDecided, who }: Pick<BodyProps, "isDecided" | "who">) {
  if (isDecided) {
    return (
      <Empty title={words.emptyDecidedTitle}>
        <p>{words.emptyDecidedText}</p>
      </Empty>
    );
  }
  if (who !== undefined) {
    return (
      <Empty title={fill(words.emptyOf, { agent: who })}>
        <a class="button plain" href={link(["approvals"])}>
          {words.allAgents}
        </a>
      </Empty>
    );
  }
  return (
    <Empty title={words.emptyTitle}>
      <p>{words.emptyText}</p>
    </Empty>
  );
}

function Body({ list, waiting, chosen, who, isDecided, place }: BodyProps) {
  const { caller, verdicts: desk } = usePage();
  const isNarrow = useMedia(narrow);
  const open = useOpen(chosen, list, isNarrow);
  useListKeys(list, open, place);
  const isAlone = isNarrow && open !== undefined;
  return (
    <>
      {!isAlone && (
        <div class="head">
          {open === undefined ? <h1 tabIndex={-1}>{words.title}</h1> : <p class="approvals-heading">{words.title}</p>}
          <span class="second approvals-who">{words.who}</span>
          <span class="space" />
          <TellMe />
        </div>
      )}
      <div class={isAlone ? "approvals-alone" : "approvals-both"}>
        {!isAlone && (
          <div class="card approvals-aside">
            <Switch waiting={isDecided ? undefined : list.length} isDecided={isDecided} />
            {who !== undefined && list.length > 0 && (
              <p class="note second approvals-note">
                {fill(words.ofAgent, { agent: who })} <a href={link(["approvals"])}>{words.allAgents}</a>
              </p>
            )}
            {list.length === 0 ? (
              <NothingThere isDecided={isDecided} who={who} />
            ) : (
              <ApprovalList
                label={isDecided ? words.decidedList : words.waitingList}
                rows={list}
                open={open}
                place={place}
                me={caller.value?.name}
                desk={desk}
                {...(!isDecided && { note: words.order })}
              />
            )}
          </div>
        )}
        {open !== undefined && (
          <ApprovalCard
            key={open}
            callId={open}
            listed={list.find(({ call_id }) => call_id === open)}
            waiting={waiting}
            desk={desk}
            place={place}
            isAlone={isAlone}
          />
        )}
      </div>
    </>
  );
}

const nothing: readonly ShownApproval[] = [];

export function ApprovalsView() {
  const { path, query } = usePage().router.route.value;
  const isDecided = path[1] === "decided";
  const who = isDecided ? undefined : query.get("who");
  const pending = useResource(pendingUri, pendingResource);
  const place = useMemo(() => (isDecided ? decidedPlace : waitingPlace(who)), [isDecided, who]);
  const waiting = pending.value.data ?? nothing;
  const ofAgent = useMemo(
    () => (who === undefined ? waiting : waiting.filter(({ agent_id }) => agent_id === who)),
    [waiting, who],
  );
  if (isDecided) return <DecidedView chosen={path[2]} waiting={waiting} place={place} />;
  return (
    <LoadedView what={words.what} from={pending}>
      {() => (
        <Body
          key="waiting"
          list={ofAgent}
          waiting={waiting}
          chosen={path[1]}
          who={who}
          isDecided={false}
          place={place}
        />
      )}
    </LoadedView>
  );
}

function DecidedView({ chosen, waiting, place }: Pick<BodyProps, "chosen" | "waiting" | "place">) {
  const history = useResource(historyUri, historyResource);
  return (
    <LoadedView what={words.whatDecided} from={history}>
      {(list) => (
        <Body key="decided" list={list} waiting={waiting} chosen={chosen} who={undefined} isDecided place={place} />
      )}
    </LoadedView>
  );
}
