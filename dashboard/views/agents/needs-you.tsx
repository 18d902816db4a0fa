// What needs a person, as up to three cards: calls that wait for them, the agent that works worst, a server that changed or fails. A card is
// there only when it has something to say.
import type { ComponentChildren } from "preact";
import type { ShownAgent } from "../../data/agents.ts";
import { serversResource, serversUri } from "../../data/servers.ts";
import { usePage, useResource } from "../../page.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { link } from "../../route/route.ts";
import { usePending } from "../../shell/waiting.ts";
import { agentsWords as words } from "../../words/agents.ts";
import { fill, plural } from "../../words/fill.ts";
import { tellLeft } from "../../words/times.ts";
import { findWorst, stateOf } from "./agent-rows.ts";

interface NeedProps {
  look: "wait" | "bad" | "warn";
  icon: IconName;
  href: string;
  title: string;
  children?: ComponentChildren;
}

const Need = ({ look, icon, href, title, children }: NeedProps) => (
  <li>
    <a class={`agents-need ${look}`} href={href}>
      <Icon name={icon} class={look} />
      <span class="stack-tight">
        <span class="strong">{title}</span>
        {children !== undefined && <span class="note second">{children}</span>}
      </span>
    </a>
  </li>
);

function WaitingCard() {
  const { time } = usePage();
  const mine = (usePending().value.data ?? []).filter(({ may_decide }) => may_decide);
  const [first] = mine;
  if (first === undefined) return null;
  const left = tellLeft(Date.parse(first.expires_at), time.fine.value);
  return (
    <Need look="wait" icon="approvals" href={link(["approvals"])} title={plural(words.needsWaiting, mine.length)}>
      {fill(words.firstExpires, { left })}
    </Need>
  );
}

function WorstCard({ agents }: { agents: readonly ShownAgent[] }) {
  const worst = findWorst(agents);
  if (worst === undefined) return null;
  const isError = stateOf(worst) === "error";
  const title = fill(isError ? words.cannotWork : words.degraded, { agent: worst.id });
  return (
    <Need
      look={isError ? "bad" : "warn"}
      icon={isError ? "error" : "degraded"}
      href={link(["agents", worst.id])}
      title={title}
    >
      {worst.reason}
    </Need>
  );
}

function ServerCard() {
  const servers = useResource(serversUri, serversResource).value.data ?? [];
  const changed = servers.find(({ changed_count }) => changed_count > 0);
  if (changed !== undefined) {
    const { name, changed_count: count, pin } = changed;
    return (
      <Need
        look="warn"
        icon="degraded"
        href={link(["servers", name])}
        title={plural(words.changedTools, count, { server: name })}
      >
        {pin === "block" ? words.changedHidden : words.changedTold}
      </Need>
    );
  }
  const failing = servers.find(({ state }) => state === "error");
  if (failing === undefined) return null;
  return (
    <Need
      look="bad"
      icon="error"
      href={link(["servers", failing.name])}
      title={fill(words.serverCannotWork, { server: failing.name })}
    >
      {failing.reason ?? undefined}
    </Need>
  );
}

export const NeedsYou = ({ agents }: { agents: readonly ShownAgent[] }) => (
  <ul class="agents-needs" aria-label={words.needs}>
    <WaitingCard />
    <WorstCard agents={agents} />
    <ServerCard />
  </ul>
);
