// The head of a card: how it stands and how long, what is called, who wants it, and what is known of the tool.
import type { ComponentChildren } from "preact";
import type { ShownApproval } from "../../data/approvals.ts";
import { Icon } from "../../parts/icon.tsx";
import { Chip } from "../../parts/mark.tsx";
import { RichText } from "../../parts/rich-text.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { useCardPage } from "../../page.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";
import { tellExact, tellLeft } from "../../words/times.ts";
import { isOver, tellShort } from "./ending.ts";
import { findVia } from "./origin.ts";
import type { CardPlace } from "./place.ts";
import { tellWhen } from "./when.ts";

const soonMs = 5 * 60_000;
const fineMs = 3 * 60_000;

/** The time left, by the server's clock; bold when it is short. */
export function TimeLeft({ until, long }: { until: string; long?: boolean }) {
  const { time } = useCardPage();
  const end = Date.parse(until);
  // Painted with each of them, and by the time that it is then.
  void (end - time.now() < fineMs ? time.fine.value : time.coarse.value);
  const now = time.now();
  const left = tellLeft(end, now);
  const isShort = end - now < soonMs;
  return (
    <time
      dateTime={until}
      title={tellExact(end)}
      class={`note tabular approvals-left ${isShort ? "warn strong" : "second"}`}
    >
      {end <= now ? (
        words.timeIsUp
      ) : long === true ? (
        <>
          <span class="approvals-wide">{fill(words.expires, { left })}</span>
          <span class="approvals-narrow">{fill(words.expiresShort, { left })}</span>
        </>
      ) : (
        fill(words.expiresShort, { left })
      )}
    </time>
  );
}

/** A name that somebody else chose, with what it hides. */
export const Name = ({ children }: { children: string }) => (
  <b class="approvals-name">
    <ValueText text={children} />
  </b>
);

function Wants({ approval }: { approval: ShownApproval }) {
  const via = findVia(approval);
  const caller = <Name>{approval.caller}</Name>;
  if (approval.agent_id === null) return <RichText text={words.wantsGateway} places={{ caller }} />;
  const agent = <Name>{approval.agent_id}</Name>;
  if (via === undefined) return <RichText text={words.wants} places={{ agent, caller }} />;
  return <RichText text={words.wantsVia} places={{ agent, caller, via: <Name>{via}</Name> }} />;
}

function Claims({ approval }: { approval: ShownApproval }) {
  const { hints, last_approved: last, definition_changed: isChanged } = approval;
  const { time } = useCardPage();
  const isReading = hints?.read_only === true;
  return (
    <div class="row wrap approvals-claims">
      {hints === undefined && <Chip look="warn">{words.claims.none}</Chip>}
      {isReading && <Chip>{words.claims.reads}</Chip>}
      {hints !== undefined && !isReading && (
        <Chip look="warn" icon="degraded">
          {hints.destructive === true ? words.claims.destructive : words.claims.changes}
        </Chip>
      )}
      {isChanged === true && (
        <Chip look="bad" icon="degraded">
          {words.definitionChanged}
        </Chip>
      )}
      {isChanged === false && last !== null && (
        <Chip icon="check">{fill(words.definitionSame, { day: tellWhen(last.at, time.coarse.value) })}</Chip>
      )}
      <Chip>{words.once}</Chip>
    </div>
  );
}

interface HeadProps {
  approval: ShownApproval;
  place: CardPlace;
  me: string | undefined;
  /** Whether the list is not beside it. */
  isAlone: boolean;
}

export function CardHead({ approval, place, me, isAlone }: HeadProps) {
  const { time } = useCardPage();
  const over = isOver(approval);
  return (
    <div class="approvals-head">
      <div class="row">
        {isAlone && <BackLink href={place.listHref} />}
        {over ? (
          <Chip>{tellShort(approval, me, time.coarse.value)}</Chip>
        ) : (
          <Chip look="wait" icon="approvals">
            {words.waits}
          </Chip>
        )}
        <span class="space" />
        {!over && (
          <span class="row approvals-clock second">
            <Icon name="clock" />
            <TimeLeft until={approval.expires_at} long />
          </span>
        )}
      </div>
      <CardTitle>
        <ValueText text={`${approval.server} / ${approval.tool}`} />
      </CardTitle>
      <p>
        <Wants approval={approval} />
      </p>
      <Claims approval={approval} />
    </div>
  );
}

export const CardTitle = ({ children }: { children: ComponentChildren }) => (
  <h1 class="approvals-title" tabIndex={-1}>
    {children}
  </h1>
);

export const BackLink = ({ href }: { href: string }) => (
  <a class="button quiet small approvals-back" href={href} aria-label={words.backToList}>
    <Icon name="back" />
  </a>
);
