// The cards above the table: what needs a person, each a link to where it is dealt with. A card shows only where it has something to say.
import type { ComponentChildren, JSX } from "preact";
import { usePage } from "../../page.ts";
import { Icon } from "../../parts/icon.tsx";
import { colourOf, type MarkState } from "../../parts/mark.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { agentsWords as words } from "../../words/agents.ts";
import { fill, plural } from "../../words/fill.ts";
import { tellAge, tellLeft } from "../../words/times.ts";
import type { Need } from "./needs.ts";

export const NeedCards = ({ needs }: { needs: readonly Need[] }): JSX.Element | null =>
  needs.length === 0 ? null : (
    <section class="agents-needs" aria-label={words.needs}>
      {needs.map((need) => (
        <NeedCard key={need.kind} need={need} />
      ))}
    </section>
  );

function NeedCard({ need }: { need: Need }): JSX.Element {
  if (need.kind === "calls") {
    return (
      <Card state="waits" href={link(["approvals", ...(need.only === undefined ? [] : [need.only])])}>
        <b>{plural(words.waits, need.count)}</b>
        <CallTimes need={need} />
      </Card>
    );
  }
  if (need.kind === "agent") {
    const { agent, state, more } = need;
    return (
      <Card state={state} href={link(["agents", agent.id])}>
        <b>{fill(words.needAgent[state], { name: agent.id })}</b>
        <Reason text={agent.reason} more={more} />
      </Card>
    );
  }
  const { server, more } = need;
  const href = link(["servers", server.name]);
  if (need.kind === "server") {
    return (
      <Card state="error" href={href}>
        <b>{fill(words.needServer, { name: server.name })}</b>
        <Reason text={server.reason ?? undefined} more={more} />
      </Card>
    );
  }
  const tools = server.changed_tools.slice(0, 3).join(", ");
  return (
    <Card state="degraded" href={href}>
      <b>{plural(words.needChanged, server.changed_count, { name: server.name })}</b>
      <Reason text={fill(words.pin[server.pin], { tools })} more={more} />
    </Card>
  );
}

const Card = ({ state, href, children }: { state: MarkState; href: string; children: ComponentChildren }) => (
  <a class={`agents-need card ${state}`} href={href}>
    <span class={colourOf(state)}>
      <Icon name={state === "waits" ? "approvals" : state} />
    </span>
    <span class="agents-need-text">{children}</span>
  </a>
);

const Reason = ({ text, more }: { text: string | undefined; more: number }) => (
  <span class="note second">
    {text === undefined ? words.noReason : <ValueText text={text} />}
    {more > 0 && ` ${plural(words.needMore, more)}`}
  </span>
);

function CallTimes({ need }: { need: Extract<Need, { kind: "calls" }> }): JSX.Element {
  const { time } = usePage();
  const now = time.fine.value;
  const left = tellLeft(Date.parse(need.expiresAt), now);
  const isOne = need.count === 1 || need.oldestAt === undefined;
  return (
    <span class="note second tabular">
      {isOne
        ? fill(words.needCalls.only, { left })
        : fill(words.needCalls.oldest, {
            age: tellAge(Date.parse(need.oldestAt ?? ""), now),
            first: fill(words.needCalls.first, { left }),
          })}
    </span>
  );
}
