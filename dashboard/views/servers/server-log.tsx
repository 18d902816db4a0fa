// The calls of a server as they come, the newest at the end, in a box with a scroll of its own. It follows while one is at the end; what
// comes while somebody has text of it selected, or has scrolled up, waits and is told.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { callLogResource, callLogUri, type LogEntry } from "../../data/calls.ts";
import { useResource } from "../../page.ts";
import { LoadedView } from "../../parts/view-states.tsx";
import { fill, plural } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { tellClockWithSeconds, tellDuration } from "../../words/times.ts";
import { LogBox } from "./log-box.tsx";

export function ServerLog({ name }: { name: string }): JSX.Element {
  const log = useResource(callLogUri, callLogResource);
  return (
    <section class="section servers-log">
      <h2>{words.logHeading}</h2>
      <p class="note second">{words.logNote}</p>
      <LoadedView what={words.logWhat} from={log} rows={3}>
        {({ entries }) => <Lines name={name} entries={entries.filter(({ server }) => server === name).toReversed()} />}
      </LoadedView>
    </section>
  );
}

/** Nearer to the end counts as being there. */
const nearPx = 24;

function Lines({ name, entries }: { name: string; entries: readonly LogEntry[] }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isSelecting = useSelectionIn(box);
  const isAtEnd = useRef(true);
  const [shown, setShown] = useState(entries);
  const [isAway, setAway] = useState(false);
  const isPaused = isSelecting || isAway;
  useEffect(() => {
    if (!isPaused) setShown(entries);
  }, [entries.at(-1)?.id, entries.length, isPaused]);
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [shown]);
  if (entries.length === 0) return <p class="second">{fill(words.logEmpty, { name })}</p>;
  const lastShown = shown.at(-1)?.id ?? 0;
  const waiting = isPaused ? entries.filter(({ id }) => id > lastShown).length : 0;
  const onScroll = () => {
    if (box.current === null) return;
    const { scrollHeight, scrollTop, clientHeight } = box.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx;
    setAway(!isAtEnd.current);
  };
  const toEnd = () => {
    document.getSelection()?.removeAllRanges();
    isAtEnd.current = true;
    setAway(false);
    setShown(entries);
  };
  return (
    <>
      <LogBox box={box} label={fill(words.logRegion, { name })} onScroll={onScroll}>
        {shown.map((entry) => (
          <LogLine key={entry.id} entry={entry} />
        ))}
      </LogBox>
      {waiting > 0 && (
        <button type="button" class="button small" onClick={toEnd}>
          {plural(words.logNew, waiting)}
        </button>
      )}
    </>
  );
}

const LogLine = ({ entry: { timestamp, tool, success, caller, latency_ms: ms } }: { entry: LogEntry }) => (
  <p class="servers-log-line">
    <time dateTime={timestamp} class="third">
      {tellClockWithSeconds(Date.parse(timestamp))}
    </time>
    <span class={success ? "ok" : "bad"}>{success ? words.logOk : words.logFailed}</span>
    <span>{tool}</span>
    <span class="second">{fill(words.logLine, { caller, duration: tellDuration(ms) })}</span>
  </p>
);

/** Whether text in the box is selected. */
function useSelectionIn(box: { readonly current: HTMLElement | null }): boolean {
  const [isSelecting, setSelecting] = useState(false);
  useEffect(() => {
    const read = () => {
      const selection = document.getSelection();
      const node = selection?.anchorNode ?? null;
      setSelecting(selection?.isCollapsed === false && box.current?.contains(node) === true);
    };
    document.addEventListener("selectionchange", read);
    return () => document.removeEventListener("selectionchange", read);
  }, [box]);
  return isSelecting;
}
