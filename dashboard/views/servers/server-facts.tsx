// What is known of a server in a word each: what it runs, where it is reached, who uses it, how often it was called.
import type { ComponentChildren, JSX } from "preact";
import type { ShownServer } from "../../data/servers.ts";
import { Age } from "../../parts/age.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { fill, plural, tellNumber } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { tellDuration } from "../../words/times.ts";
import { tellKind } from "./server-kind.ts";

const maxUsers = 8;

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

export function ServerFacts({ server }: { server: ShownServer }): JSX.Element {
  const { command, args, url, tags, env, pin, last_health_check: asked, error_count: errors } = server;
  const names = words.facts;
  const runs = command === null ? server.package : [command, ...args].join(" ");
  const variables = Object.keys(env);
  return (
    <dl class="facts">
      <Fact name={names.kind}>{tellKind(server)}</Fact>
      {runs !== null && (
        <Fact name={names.runs}>
          <ValueText text={runs} />
        </Fact>
      )}
      {url !== null && (
        <Fact name={names.address}>
          <ValueText text={url} />
        </Fact>
      )}
      {variables.length > 0 && (
        <Fact name={names.secrets}>
          <code>{variables.join(", ")}</code>
        </Fact>
      )}
      <Fact name={names.usedBy}>
        <Users names={server.used_by} />
      </Fact>
      <Fact name={names.calls}>{tellCalls(server)}</Fact>
      <Fact name={names.pin}>{words.pin[pin]}</Fact>
      {asked !== null && (
        <Fact name={names.asked}>
          <Age at={asked} />
        </Fact>
      )}
      {errors > 0 && <Fact name={names.errors}>{tellNumber(errors)}</Fact>}
      {tags.length > 0 && <Fact name={names.tags}>{tags.join(", ")}</Fact>}
    </dl>
  );
}

function Users({ names }: { names: readonly string[] }): JSX.Element {
  if (names.length === 0) return <>{words.nobody}</>;
  const left = names.length - maxUsers;
  return (
    <span class="servers-users">
      {names.slice(0, maxUsers).map((name) => (
        <a key={name} href={link(["agents", name])}>
          {name}
        </a>
      ))}
      {left > 0 && fill(words.moreUsers, { n: left })}
    </span>
  );
}

function tellCalls({ calls_24h: count, errors_24h: failed, median_ms: medianMs }: ShownServer): string {
  if (count === 0) return words.noCalls;
  const calls = plural(words.calls, count);
  const told = failed === 0 ? calls : fill(words.callsFailed, { calls, n: failed });
  return medianMs === null ? told : fill(words.callsMedian, { calls: told, median: tellDuration(medianMs) });
}
