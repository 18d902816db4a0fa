// Calls that wait for a person, and what was decided, each with its address: which list, of which agent, and which card is open.
import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Loaded } from "../../connect/resources.ts";
import { historyResource, historyUri, pendingResource, pendingUri, type ShownApproval } from "../../data/approvals.ts";
import { Empty, LoadedView } from "../../parts/view-states.tsx";
import { useCardPage, useResource } from "../../page.ts";
import { link } from "../../route/route.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import { ApprovalsBody } from "./approvals-body.tsx";
import { NothingWaits } from "./nothing-waits.tsx";
import { decidedPlace, waitingPlace } from "./place.ts";
import { TellMe } from "./tell-me.tsx";

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

function NoneWaits({ who }: { who: string | undefined }) {
  if (who === undefined) return <NothingWaits />;
  return (
    <Empty title={fill(words.emptyOf, { agent: who })}>
      <a class="button plain" href={link(["approvals"])}>
        {words.allAgents}
      </a>
    </Empty>
  );
}

const NothingDecided = () => (
  <Empty title={words.emptyDecidedTitle}>
    <p>{words.emptyDecidedText}</p>
  </Empty>
);

const OnlyOf = ({ who }: { who: string }) => (
  <p class="note second approvals-note">
    {fill(words.ofAgent, { agent: who })} <a href={link(["approvals"])}>{words.allAgents}</a>
  </p>
);

interface FramedProps<T> {
  what: string;
  from: ReadonlySignal<Loaded<T>>;
  children: (data: T) => ComponentChildren;
}

/** With the view's title as long as nothing is there that has one. */
const Framed = <T,>({ what, from, children }: FramedProps<T>) => (
  <>
    {from.value.data === undefined && (
      <header class="head">
        <h1 tabIndex={-1}>{words.title}</h1>
      </header>
    )}
    <LoadedView what={what} from={from}>
      {children}
    </LoadedView>
  </>
);

const nothing: readonly ShownApproval[] = [];

export function ApprovalsView() {
  const { path, query } = useCardPage().router.route.value;
  const pending = useResource(pendingUri, pendingResource);
  const waiting = pending.value.data ?? nothing;
  const who = query.get("who");
  const place = useMemo(() => waitingPlace(who), [who]);
  const list = useMemo(
    () => (who === undefined ? waiting : waiting.filter(({ agent_id }) => agent_id === who)),
    [waiting, who],
  );
  if (path[1] === "decided") return <DecidedView chosen={path[2]} waiting={waiting} />;
  return (
    <Framed what={words.what} from={pending}>
      {() => (
        <ApprovalsBody
          key="waiting"
          label={words.waitingList}
          {...{ list, waiting, place }}
          chosen={path[1]}
          actions={<TellMe />}
          above={
            <>
              <Switch waiting={list.length} isDecided={false} />
              {who !== undefined && list.length > 0 && <OnlyOf who={who} />}
            </>
          }
          empty={<NoneWaits who={who} />}
          note={words.order}
        />
      )}
    </Framed>
  );
}

function DecidedView({ chosen, waiting }: { chosen: string | undefined; waiting: readonly ShownApproval[] }) {
  const history = useResource(historyUri, historyResource);
  return (
    <Framed what={words.whatDecided} from={history}>
      {(list) => (
        <ApprovalsBody
          key="decided"
          label={words.decidedList}
          {...{ list, waiting, chosen }}
          place={decidedPlace}
          actions={<TellMe />}
          above={<Switch waiting={undefined} isDecided />}
          empty={<NothingDecided />}
        />
      )}
    </Framed>
  );
}
