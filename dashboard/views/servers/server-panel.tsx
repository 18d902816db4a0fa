// One server: what it is, what is wrong with it and how that is cured, which definitions changed, what it offers, and what can be done.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import type { ShownServer } from "../../data/servers.ts";
import { Icon } from "../../parts/icon.tsx";
import { Mark } from "../../parts/mark.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { fill } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { cureOf, isWrong } from "./condition.ts";
import { ServerActions } from "./server-actions.tsx";
import { ServerChanges } from "./server-changes.tsx";
import { ServerConditions } from "./server-conditions.tsx";
import { ServerFacts } from "./server-facts.tsx";
import { ServerErrors } from "./server-errors.tsx";
import { ServerLog } from "./server-log.tsx";
import { writesHere } from "./server-kind.ts";
import { ServerTools } from "./server-tools.tsx";

export function ServerPanel({ server, back }: { server: ShownServer; back: string }): JSX.Element {
  const [showsLog, setShowsLog] = useState(false);
  const { name, title, description, state, reason } = server;
  const purpose = title ?? description;
  const told = server.conditions.find((each) => isWrong(each) && each.message === reason);
  const cure = told && cureOf(told.reason);
  return (
    <aside class="card servers-panel" aria-label={fill(words.panel, { name })}>
      <div class="servers-top">
        <div class="row">
          <Mark state={state} />
          <span class="space" />
          <a class="button quiet servers-close" href={back} aria-label={words.back}>
            <Icon name="cross" />
          </a>
        </div>
        <h1 tabIndex={-1} class="servers-heading">
          {name} {purpose !== "" && <span class="servers-purpose second">{purpose}</span>}
        </h1>
        {reason !== null && (
          <div class="stack">
            <p class={state === "error" ? "bad" : "second"}>
              <ValueText text={reason} />
            </p>
            {cure !== undefined && <p class="second">{cure}</p>}
          </div>
        )}
        <ServerFacts server={server} />
        <ServerActions server={server} {...{ back, showsLog }} onLog={() => setShowsLog((shows) => !shows)} />
      </div>
      {server.changed_count > 0 && <ServerChanges server={server} />}
      <ServerConditions conditions={server.conditions} toldAbove={reason} />
      {showsLog && <ServerLog name={name} />}
      {showsLog && writesHere(server) && <ServerErrors name={name} />}
      <ServerTools server={server} />
    </aside>
  );
}
