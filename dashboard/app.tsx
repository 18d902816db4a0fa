// The page as a whole: who is not signed in sees the sign-in; everybody else the navigation, the strip that says what is wrong with the
// connection, and the view of the address. After each change of view the focus goes to its heading.
import { useEffect, useRef, useState } from "preact/hooks";
import { useComputed } from "@preact/signals";
import { usePage } from "./page.ts";
import { ConnectionStrip } from "./shell/connection-strip.tsx";
import { LiveRegions } from "./shell/live-regions.tsx";
import { GoTo } from "./shell/go-to.tsx";
import { useHeadingFocus } from "./shell/use-heading-focus.ts";
import { useNewCallsTold } from "./shell/new-calls.ts";
import { useShortcuts } from "./shell/shortcuts.ts";
import { BottomNavigation, SideNavigation } from "./shell/navigation.tsx";
import { CurrentView, loadAhead, viewNames } from "./shell/views.tsx";
import { useWaitingForMe } from "./shell/waiting.ts";
import { LoginView } from "./views/login/login-view.tsx";
import { fill } from "./words/fill.ts";
import { shellWords as words } from "./words/shell.ts";
import { KeyList } from "./shell/key-list.tsx";

/** By then what the first view needs has been asked for. */
const loadAheadMs = 1_500;

export function App() {
  const { session, people, announcer } = usePage();
  const isSignedIn = useComputed(() => session.token.value !== undefined);
  return (
    <>
      {isSignedIn.value ? <SignedIn key={people.value} /> : <LoginView />}
      <LiveRegions announcer={announcer} />
    </>
  );
}

function SignedIn() {
  const { router, time } = usePage();
  const route = router.route.value;
  const [isGoingTo, setGoingTo] = useState(false);
  const [showsKeys, setShowsKeys] = useState(false);
  const main = useRef<HTMLElement>(null);
  const address = route.path.join("/");
  useHeadingFocus(main, address);
  useShortcuts({ openGoTo: () => setGoingTo(true), openKeys: () => setShowsKeys(true) });
  useTitle(route.path[0] ?? "agents");
  useNewCallsTold();
  useEffect(() => time.after(loadAheadMs, loadAhead), [time]);
  const current = route.path[0] ?? "agents";
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {words.skip}
      </a>
      <div class="shell">
        <SideNavigation current={current} onGoTo={() => setGoingTo(true)} />
        <div class="content">
          <ConnectionStrip />
          <main id="main" ref={main} tabIndex={-1}>
            <CurrentView route={route} />
          </main>
        </div>
        <BottomNavigation current={current} onGoTo={() => setGoingTo(true)} />
      </div>
      {isGoingTo && <GoTo onClose={() => setGoingTo(false)} />}
      {showsKeys && <KeyList onClose={() => setShowsKeys(false)} />}
    </>
  );
}

/** "(3) Approvals · ouranos". */
function useTitle(first: string): void {
  const { config } = usePage();
  const waiting = useWaitingForMe();
  const name = viewNames.find((each) => each === first);
  const title =
    name === undefined ? config.instance : fill(words.title, { view: words[name], instance: config.instance });
  useEffect(() => {
    document.title = waiting === 0 ? title : fill(words.titleWaiting, { count: waiting, title });
  }, [title, waiting]);
}
