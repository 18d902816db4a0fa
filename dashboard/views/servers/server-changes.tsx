// Definitions of tools that are not as they were approved, as a difference, first of all that is said of a server. They can be accepted, by
// an approver, once the whole difference was on screen; what is accepted is what was read, or the gateway refuses.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { pinsSchema, serverPath, type ServerPins, type ShownServer, type ToolChange } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { LoadingRows, NeedsRole, ProblemBox, useOffBecause } from "../../parts/view-states.tsx";
import { fill, plural } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { AcceptDialog } from "./accept-dialog.tsx";
import { DefinitionDifference } from "./definition-lines.tsx";
import { portionLines, takeChanges, type ShownChange } from "./shown-changes.ts";

export function ServerChanges({ server }: { server: ShownServer }): JSX.Element {
  const { rest } = usePage();
  const { name, changed_tools: changed, changed_count: count, pin, conditions } = server;
  const pinned = conditions.find(({ type }) => type === "Pinned");
  // Other words of the condition are another difference, even of the same tools.
  const key = [name, pin, count, ...changed, pinned?.since ?? ""].join("\n");
  const pins = useAnswer(key, (signal) => rest({ path: serverPath(name, "pins"), schema: pinsSchema, signal }));
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const onRefused = (reason: string) => {
    setRefused(reason);
    pins.again();
  };
  return (
    <section class="section servers-changes">
      {pins.problem !== undefined && <ProblemBox what={words.changesWhat} problem={pins.problem} again={pins.again} />}
      {refused !== undefined && (
        <p class="bad" role="alert">
          {fill(words.failed, { reason: refused })}
        </p>
      )}
      {pins.data === undefined ? (
        pins.problem === undefined && <LoadingRows rows={2} />
      ) : (
        <>
          <h2 class="row">
            <Icon name="degraded" class="warn" /> {tellHeading(pins.data.changes)}
          </h2>
          <p class="note second">
            {pinned?.since !== undefined && pinned.status === "False" && <Seen at={pinned.since} />}
            {pin === "block" ? words.pinNote.block : words.pinNote.warn}
          </p>
          <Differences key={pins.data.tools_hash} server={server} pins={pins.data} onRefused={onRefused} />
        </>
      )}
    </section>
  );
}

function Seen({ at }: { at: string }): JSX.Element {
  const [before, behind] = words.seen.split("{age}");
  return (
    <>
      {before}
      <Age at={at} />
      {behind}{" "}
    </>
  );
}

function tellHeading(changes: readonly ToolChange[]): string {
  const [first] = changes;
  if (first === undefined || changes.length > 1) return plural(words.several, changes.length);
  return fill(words[first.change], { tool: first.tool });
}

interface DifferencesProps {
  server: ShownServer;
  pins: ServerPins;
  onRefused(reason: string): void;
}

function Differences({ server, pins, onRefused }: DifferencesProps): JSX.Element {
  const { caller } = usePage();
  const [isAsking, setAsking] = useState(false);
  const [portions, setPortions] = useState(1);
  const [wasRead, setRead] = useState(false);
  const { shown, left } = useMemo(() => takeChanges(pins.changes, portions * portionLines), [pins.changes, portions]);
  const offline = useOffBecause();
  const off = offline ?? (wasRead ? undefined : words.acceptOff);
  return (
    <>
      {shown.map((each) => (
        <OneChange key={each.change.tool} {...each} isAlone={pins.changes.length === 1} />
      ))}
      {left > 0 ? (
        <Button onPress={() => setPortions((count) => count + 1)}>{plural(words.showMore, left)}</Button>
      ) : (
        <End hasFocus={portions > 1} onSeen={() => setRead(true)} />
      )}
      <NeedsRole needed="approver" action={words.needs.accept}>
        <div class="row wrap">
          <span class="space" />
          <Button look="red" offBecause={off} onPress={() => setAsking(true)}>
            {words.accept}
          </Button>
        </div>
      </NeedsRole>
      {isAsking && caller.value !== undefined && (
        <AcceptDialog server={server} pins={pins} onClose={() => setAsking(false)} onRefused={onRefused} />
      )}
    </>
  );
}

function OneChange({ change, fields, counts, isAlone }: ShownChange & { isAlone: boolean }): JSX.Element {
  return (
    <div class="stack">
      {!isAlone && <h3>{fill(words[change.change], { tool: change.tool })}</h3>}
      {change.fields === null && change.change === "changed" && fields !== undefined && (
        <p class="note second">{words.notKept}</p>
      )}
      {fields === undefined ? (
        <p class="note bad">{words.nothingToShow}</p>
      ) : (
        <>
          <DefinitionDifference fields={fields} />
          {fields.length > 0 && counts !== undefined && (
            <p class="note">
              {fill(words.lineCounts, {
                added: plural(words.linesAdded, counts.added),
                removed: plural(words.linesRemoved, counts.removed),
              })}
            </p>
          )}
        </>
      )}
    </div>
  );
}

interface EndProps {
  /** It takes the place of the button that had it. */
  hasFocus: boolean;
  onSeen(): void;
}

/** Stands behind the last line, and says when it was on screen. */
function End({ hasFocus, onSeen }: EndProps): JSX.Element {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = end;
    if (current === null) return undefined;
    // Without scrolling: what is before it is yet to be read.
    if (hasFocus) current.focus({ preventScroll: true });
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      onSeen();
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return <div ref={end} tabIndex={-1} />;
}
