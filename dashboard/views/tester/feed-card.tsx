// What came by while the server was tried, the newest on top: filtered by kind, held while somebody reads, cleared when it is in the way.
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { fill, plural } from "../../words/fill.ts";
import { tellClockWithSeconds } from "../../words/times.ts";
import { testerWords } from "../../words/tester.ts";
import { feedKinds, filterLines, maxFeedLines, type FeedKind, type FeedLine, type FeedMark } from "./feed.ts";
import type { Testing } from "./testing.ts";

const words = testerWords.feed;

const marks = {
  ok: { icon: "check", colour: "ok" },
  failed: { icon: "error", colour: "bad" },
  sent: { icon: "right", colour: "second" },
  moves: { icon: "ring", colour: "accent" },
  asks: { icon: "approvals", colour: "wait" },
  says: { icon: "more", colour: "second" },
} as const satisfies Record<FeedMark, { icon: IconName; colour: string }>;

/** In the page at a time; older ones come by a press. */
const shownAtOnce = 60;

export function FeedCard({ testing }: { testing: Testing }) {
  const [kind, setKind] = useState<FeedKind | "all">("all");
  const [shown, setShown] = useState(shownAtOnce);
  const lines = filterLines(testing.lines.value, kind);
  const isPaused = testing.isPaused.value;
  const held = testing.held.value;
  return (
    <section class="card" aria-label={words.title}>
      <div class="row wrap tester-card-head">
        <h2>{words.title}</h2>
        <span class="note second tester-newest">{words.newest}</span>
        <span class="space" />
        <KindSelect kind={kind} onChoose={setKind} />
        <Button look="quiet" small pressed={isPaused} onPress={() => testing.pause(!isPaused)}>
          {isPaused ? words.goOn : words.pause}
        </Button>
        <Button look="quiet" small onPress={() => testing.clear()}>
          {words.clear}
        </Button>
      </div>
      {testing.isFeedLost.value && <p class="note warn tester-line-note">{words.lost}</p>}
      {held > 0 && <p class="note second tester-line-note tabular">{plural(words.held, held)}</p>}
      {lines.length === 0 ? (
        <p class="second tester-line-note">{kind === "all" ? words.empty : words.emptyKind}</p>
      ) : (
        <ol class="tester-feed">
          {lines.slice(0, shown).map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </ol>
      )}
      {lines.length > shown && (
        <div class="tester-line-note">
          <Button look="quiet" small onPress={() => setShown(shown + shownAtOnce)}>
            {plural(testerWords.feed.older, lines.length - shown)}
          </Button>
        </div>
      )}
      {testing.lines.value.length >= maxFeedLines && (
        <p class="note third tester-line-note">{fill(words.kept, { max: maxFeedLines })}</p>
      )}
    </section>
  );
}

function KindSelect({ kind, onChoose }: { kind: FeedKind | "all"; onChoose(kind: FeedKind | "all"): void }) {
  return (
    <select
      class="tester-kind"
      aria-label={words.filter}
      value={kind}
      onChange={({ currentTarget }) => onChoose(feedKinds.find((each) => each === currentTarget.value) ?? "all")}
    >
      <option value="all">{words.all}</option>
      {feedKinds.map((each) => (
        <option key={each} value={each}>
          {words.kinds[each]}
        </option>
      ))}
    </select>
  );
}

function Line({ line: { mark, text, at, more } }: { line: FeedLine }) {
  const [isOpen, setOpen] = useState(false);
  const row = (
    <span class="tester-line">
      <span class={marks[mark].colour}>
        <Icon name={marks[mark].icon} />
        <span class="unseen">{words.marks[mark]}</span>
      </span>
      <span class="tester-line-text">
        <ValueText text={text} />
      </span>
      <time class="note second tabular" dateTime={new Date(at).toISOString()}>
        {tellClockWithSeconds(at)}
      </time>
    </span>
  );
  if (more === undefined) return <li>{row}</li>;
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{row}</summary>
        {isOpen && (
          <pre class="well">
            <ValueText text={more} />
          </pre>
        )}
      </details>
    </li>
  );
}
