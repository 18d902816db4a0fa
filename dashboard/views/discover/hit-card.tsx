// One result: which tool, what for, with the words of the question underlined, what it needs, and how sure: in a word first, then the score
// and a bar.
import type { JSX } from "preact";
import type { ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { findHidden } from "../../parts/hidden-characters.ts";
import { Chip } from "../../parts/mark.tsx";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { tellClock } from "../../words/times.ts";
import type { Hit } from "./found.ts";
import { markWords } from "./matched-words.ts";

interface HitCardProps {
  hit: Hit;
  isSelected: boolean;
  stems: ReadonlySet<string>;
  servers: readonly ShownServer[] | undefined;
}

export function HitCard({ hit, isSelected, stems, servers }: HitCardProps): JSX.Element {
  const { router } = usePage();
  const { server, description, unreachableSince, needs, callAs } = hit;
  const query = Object.fromEntries(router.route.value.query);
  const known = servers?.find(({ name }) => name === server);
  return (
    <li class="discover-hit" {...(isSelected && { "aria-current": true })}>
      <div class="discover-what">
        <p class="row wrap">
          <a class="discover-link mono" href={link(["discover"], { ...query, tool: callAs })}>
            {nameOf(hit)}
          </a>
          {isAgent(hit, servers) && <Chip>{words.agent}</Chip>}
          {unreachableSince !== undefined && (
            <Chip look="bad" icon="error">
              {fill(words.unreachable, { time: tellClock(Date.parse(unreachableSince)) })}
            </Chip>
          )}
          {unreachableSince === undefined && known?.active === false && <Chip icon="off">{words.stopped}</Chip>}
        </p>
        <p class="second">
          <MarkedText text={description} stems={stems} />
        </p>
        <p class="note third">
          {needs !== undefined && `${tellNeeds(needs)} `}
          <UsedBy names={known?.used_by ?? []} />
        </p>
      </div>
      <Sureness hit={hit} />
    </li>
  );
}

export const nameOf = ({ server, tool, callAs }: Hit): string =>
  server === undefined ? callAs : fill(words.serverTool, { server, tool });

/** What is called `send_message` of no server is an agent. */
export const isAgent = ({ server, tool }: Hit, servers: readonly ShownServer[] | undefined): boolean =>
  tool === "send_message" && servers !== undefined && servers.every(({ name }) => name !== server);

const tellNeeds = (needs: readonly string[]): string =>
  needs.length === 0 ? words.needsNothing : fill(words.needsArgs, { args: needs.join(", ") });

const maxUsers = 3;

function UsedBy({ names }: { names: readonly string[] }): JSX.Element | null {
  if (names.length === 0) return null;
  return (
    <span class="discover-users">
      {words.usedBy}{" "}
      {names.slice(0, maxUsers).map((name) => (
        <a key={name} href={link(["agents", name])}>
          {name}
        </a>
      ))}
      {names.length > maxUsers && ` ${fill(words.moreUsers, { n: names.length - maxUsers })}`}
    </span>
  );
}

const Sureness = ({ hit: { confidence, score } }: { hit: Hit }): JSX.Element => (
  <div class={`discover-sure ${confidence}`}>
    <p>
      <span class="discover-confidence">{words.confidence[confidence]}</span>{" "}
      <span class="note third tabular">
        <span class="unseen">{fill(words.score, { score: "" })}</span>
        {score.toFixed(2)}
      </span>
    </p>
    <div class="discover-bar" aria-hidden="true">
      <span style={{ inlineSize: `${Math.round(Math.max(0, Math.min(1, score)) * 100)}%` }} />
    </div>
  </div>
);

/** The text as data, with the words of the question marked. */
const MarkedText = ({ text, stems }: { text: string; stems: ReadonlySet<string> }): JSX.Element => (
  <bdi class="discover-text">
    {markWords(text, stems).map((piece, index) =>
      piece.isMatch ? (
        <mark key={index}>{piece.text}</mark>
      ) : (
        findHidden(piece.text).map((part, at) =>
          part.kind === "text" ? (
            part.text
          ) : (
            <span key={`${index} ${at}`} class="hidden-character" title={part.name}>
              {part.code}
              <span class="unseen"> ({part.name})</span>
            </span>
          ),
        )
      ),
    )}
  </bdi>
);
