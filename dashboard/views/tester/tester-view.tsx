// The tester: a server's tools, resources and prompts, a form for the chosen one, and beside it what came back and what came by. Which one
// is chosen stands in the address; what is filled in never does.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { readOffered, type Offered } from "../../data/tester.ts";
import { serversResource, serversUri, type ShownServer } from "../../data/servers.ts";
import { usePage, useResource } from "../../page.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { useAnswer, type Answer } from "../../parts/use-answer.ts";
import { Empty, LoadedView } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { testerWords as words } from "../../words/tester.ts";
import { FeedCard } from "./feed-card.tsx";
import { memoryOf } from "./memory.ts";
import { NamesPane } from "./names-pane.tsx";
import { readPaneKind } from "./names.ts";
import { PastCard } from "./past-card.tsx";
import { QuestionCards } from "./question-cards.tsx";
import { ResultCard } from "./result-card.tsx";
import { ServerPane } from "./server-pane.tsx";
import { ServerNotice } from "./server-notice.tsx";
import { Testing } from "./testing.ts";
import { TriedPane } from "./tried-pane.tsx";

export function TesterView() {
  const { router } = usePage();
  const servers = useResource(serversUri, serversResource);
  const [, wanted] = router.route.value.path;
  return (
    <>
      <header class="head tester-title">
        <h1 tabIndex={-1}>{words.title}</h1>
        <span class="second">{words.lead}</span>
      </header>
      <LoadedView what={words.what} from={servers}>
        {(all) => {
          const server = wanted ?? firstToTry(all);
          return server === undefined ? <NoServers /> : <Tried key={server} server={server} all={all} />;
        }}
      </LoadedView>
    </>
  );
}

/** One that can be tried at once, if there is any. */
const firstToTry = (all: readonly ShownServer[]): string | undefined =>
  (all.find(({ state }) => state === "ready") ?? all[0])?.name;

const NoServers = () => (
  <div class="card">
    <Empty title={words.noServers}>
      <p>{words.noServersNext}</p>
      <ButtonLink href={link(["discover", "install"])} icon="plus">
        {words.install}
      </ButtonLink>
    </Empty>
  </div>
);

/** Its feed is open from when the server is first there, also while it is away later. */
function useTesting(server: string, isThere: boolean): Testing {
  const page = usePage();
  const { session, origin, fetch, rest, time, announcer } = page;
  const subject = page.caller.value?.subject ?? "";
  const testing = useMemo(
    () => new Testing({ server, origin, fetch, rest, time, announcer, memory: memoryOf(session, subject) }),
    [server, subject],
  );
  const token = session.token.value;
  const wasThere = useRef(false);
  wasThere.current ||= isThere;
  const feedToken = wasThere.current ? token : undefined;
  useEffect(() => (feedToken === undefined ? undefined : testing.open(feedToken)), [testing, feedToken]);
  return testing;
}

/** Listed again when the server says so, and when it is back. One that is not there is not asked. */
function useOffered(testing: Testing, known: ShownServer | undefined): Answer<Offered> {
  const { rest } = usePage();
  const isReady = known?.state === "ready";
  const asked = known === undefined ? undefined : `${testing.server} ${testing.offerChanges.value}`;
  const offered = useAnswer(asked, (signal) => readOffered(rest, testing.server, signal));
  const hasFailed = offered.problem !== undefined;
  useEffect(() => {
    if (isReady && hasFailed) offered.again();
    // When it is ready again, not when it fails while it is.
  }, [isReady]);
  return offered;
}

function Tried({ server, all }: { server: string; all: readonly ShownServer[] }) {
  const { router } = usePage();
  const known = all.find((each) => each.name === server);
  const testing = useTesting(server, known !== undefined);
  const offered = useOffered(testing, known);
  const { path } = router.route.value;
  const kind = readPaneKind(path[2]);
  return (
    <>
      <ServerNotice server={server} known={known} />
      <div class="tester-panes">
        <NamesPane all={all} server={server} kind={kind} chosen={path[3]} offered={offered} />
        <div class="stack-wide tester-middle">
          {kind === "server" ? (
            <ServerPane testing={testing} />
          ) : (
            <TriedPane testing={testing} kind={kind} name={path[3]} offered={offered} known={known} />
          )}
        </div>
        <div class="stack-wide tester-end">
          <QuestionCards testing={testing} />
          <ResultCard testing={testing} tools={offered.data?.tools ?? []} />
          <PastCard testing={testing} />
          <FeedCard testing={testing} />
        </div>
      </div>
    </>
  );
}
