// The way around: a column of views with the number of calls that wait for the person, a bar at the foot of narrow windows, and below it
// who is signed in, how the connection is, theme, and "Go to".
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../page.ts";
import { link } from "../route/route.ts";
import { plural } from "../words/fill.ts";
import { shellWords as words } from "../words/shell.ts";
import { useWaitingForMe } from "./waiting.ts";
import { viewGroups, viewIcons, type ViewName } from "./views.tsx";

function ViewLink({ name, current, onGo }: { name: ViewName; current: string; onGo?: () => void }) {
  const waiting = useWaitingForMe();
  const count = name === "approvals" ? waiting : 0;
  return (
    <a
      class="nav-link"
      href={link([name])}
      {...(name === current && { "aria-current": "page" as const })}
      {...(onGo && { onClick: onGo })}
    >
      <Icon name={viewIcons[name]} />
      <span>{words[name]}</span>
      {count > 0 && (
        <>
          <span class="nav-count" aria-hidden="true">
            {count.toLocaleString("en")}
          </span>
          <span class="unseen">, {plural(words.waiting, count)}</span>
        </>
      )}
    </a>
  );
}

function ThemeButton() {
  const { theme } = usePage().settings;
  const next = { system: "light", light: "dark", dark: "system" } as const;
  return (
    <button type="button" class="nav-link" onClick={() => (theme.value = next[theme.value])}>
      <Icon name="theme" />
      <span>
        {words.theme}
        <span class="nav-detail">: {words.themeNames[theme.value]}</span>
      </span>
    </button>
  );
}

function WhoAmI() {
  const { caller, connection, session } = usePage();
  const { kind } = connection.state.value;
  const who = caller.value;
  return (
    <div class="nav-who note">
      <span class={kind === "live" ? "ok row" : "second row"}>
        <Icon name={kind === "live" ? "ready" : "off"} />
        {kind === "live" ? words.live : kind === "lost" ? words.lost : words.connecting}
      </span>
      {who !== undefined && (
        <>
          <span class="second cut nav-subject" title={who.subject}>
            {who.subject}
          </span>
          <span class="second">{who.role}</span>
        </>
      )}
      <button type="button" class="text-button" onClick={session.signOut}>
        {words.signOut}
      </button>
    </div>
  );
}

const GoToButton = ({ onGoTo }: { onGoTo: () => void }) => (
  <button type="button" class="nav-link" onClick={onGoTo}>
    <Icon name="search" />
    <span>{words.goTo}</span>
    <kbd aria-hidden="true">Ctrl K</kbd>
  </button>
);

export function SideNavigation({ current, onGoTo }: { current: string; onGoTo: () => void }) {
  const { config } = usePage();
  return (
    <nav class="side" aria-label={words.views}>
      <a class="brand" href={link(["agents"])}>
        <Icon name="pallas" />
        <span>
          <b>Pallas</b>
          <span class="second cut">{config.instance}</span>
        </span>
      </a>
      {viewGroups.map((group, index) => (
        <div key={group[0]} class={index === 0 ? "nav-group" : "nav-group ruled"}>
          {group.map((name) => (
            <ViewLink key={name} name={name} current={current} />
          ))}
        </div>
      ))}
      <span class="space" />
      <GoToButton onGoTo={onGoTo} />
      <ThemeButton />
      <WhoAmI />
    </nav>
  );
}

const barViews: readonly ViewName[] = ["agents", "approvals", "servers", "discover"];
const otherViews: readonly ViewName[] = ["tester", "policies", "calls", "directory"];

export function BottomNavigation({ current, onGoTo }: { current: string; onGoTo: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <nav class="bottom" aria-label={words.views}>
      {barViews.map((name) => (
        <ViewLink key={name} name={name} current={current} />
      ))}
      <button type="button" class="nav-link" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        <Icon name="more" />
        <span>{words.more}</span>
      </button>
      {isOpen && (
        <Dialog title={words.more} onClose={close}>
          <div class="stack nav-more">
            {otherViews.map((name) => (
              <ViewLink key={name} name={name} current={current} onGo={close} />
            ))}
            <GoToButton
              onGoTo={() => {
                close();
                onGoTo();
              }}
            />
            <ThemeButton />
            <WhoAmI />
          </div>
        </Dialog>
      )}
    </nav>
  );
}
