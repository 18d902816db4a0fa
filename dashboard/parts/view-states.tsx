// The states that every view has beside its data: loading, a problem, no permission, gone, nothing there. A view asks `LoadedView` to
// show its data; what was there stays while something is wrong, with the problem above it.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReadonlySignal } from "@preact/signals";
import { waitAfter } from "../connect/back-off.ts";
import type { Loaded } from "../connect/resources.ts";
import type { Problem } from "../connect/problem.ts";
import { useCardPage } from "../page.ts";
import { hasRole, type Role } from "../session/caller.ts";
import { fill } from "../words/fill.ts";
import { stateWords as words } from "../words/states.ts";
import { tellClockWithSeconds } from "../words/times.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

const skeletonAfterMs = 150;
const stillWaitingAfterMs = 5_000;

/** Whether it has been there for so long. */
function useAfter(delayMs: number): boolean {
  const { time } = useCardPage();
  const [isOver, setOver] = useState(false);
  useEffect(() => time.after(delayMs, () => setOver(true)), [time, delayMs]);
  return isOver;
}

/** Grey rows of the final height. */
export function LoadingRows({ rows = 6 }: { rows?: number }): JSX.Element {
  const isShown = useAfter(skeletonAfterMs);
  const isLong = useAfter(stillWaitingAfterMs);
  return (
    <div class="loading" aria-busy="true">
      <span class="unseen">{words.loading}</span>
      {isShown &&
        Array.from({ length: rows }, (_, index) => (
          <div key={index} class="loading-row" aria-hidden="true">
            <span />
            <span />
            <span />
          </div>
        ))}
      {isLong && <p class="second pad">{words.stillWaiting}</p>}
    </div>
  );
}

/** Why it is empty, and the next step. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="strong">{title}</p>
    {children}
  </div>
);

interface ProblemBoxProps {
  what: string;
  problem: Problem;
  /** Asks for it once more. Absent: whatever the connection brings. */
  again?: (() => void) | undefined;
}

/** What may pass is tried again by itself, each time later than before. Returns when that is; undefined: it is not. */
function useRetry({ problem, again }: ProblemBoxProps): number | undefined {
  const { connection, time } = useCardPage();
  const failures = useRef(0);
  const [retryAt, setRetryAt] = useState<number | undefined>();
  const state = connection.state.value;
  const isTried = (problem.kind === "unreachable" || problem.kind === "timeout") && again !== undefined;
  useEffect(() => {
    // What is lost with the connection comes back with it.
    if (!isTried || state.kind !== "live") return undefined;
    failures.current += 1;
    const waitMs = waitAfter(failures.current);
    setRetryAt(time.now() + waitMs);
    return time.after(waitMs, again);
  }, [problem, isTried, state.kind]);
  if (state.kind === "lost") return state.retryAt;
  return isTried ? retryAt : undefined;
}

/** What did not answer, since when, when it is tried again, and how to go on. */
export function ProblemBox(props: ProblemBoxProps): JSX.Element {
  const { what, problem, again } = props;
  const { connection, config, time } = useCardPage();
  const { namespace, instance, local } = config;
  const [since] = useState(() => time.now());
  const retryAt = useRetry(props);
  const tryNow = () => {
    connection.retry();
    again?.();
  };
  return (
    <div class="problem" role="alert">
      <p class="bad row">
        <Icon name="error" /> {fill(words.notAnswering, { what, reason: problem.message })}
      </p>
      <div class="row wrap">
        <Button onPress={tryNow} small>
          {words.tryNow}
        </Button>
        {/* It is read out once, and not at each try. */}
        <span class="note second tabular" aria-live="off">
          {fill(words.since, { time: tellClockWithSeconds(since) })}
          {retryAt !== undefined && ` ${fill(words.retryAt, { time: tellClockWithSeconds(retryAt) })}`}
        </span>
        <span class="note second">
          {local ? words.lastingLocal : `${words.lasting} `}
          {!local && <code>{fill(words.lastingCommand, { namespace, instance })}</code>}
        </span>
      </div>
    </div>
  );
}

interface GoneProps {
  what: string;
  name: string;
  backTo: string;
  backHref: string;
  /** When the page saw it go, in milliseconds since the epoch; undefined where it was not there before. */
  goneAt?: number | undefined;
}

export const Gone = ({ what, name, backTo, backHref, goneAt }: GoneProps) => (
  <div class="empty">
    <p class="strong">
      {goneAt === undefined
        ? fill(words.gone, { what, name })
        : fill(words.goneSince, { what, name, time: tellClockWithSeconds(goneAt) })}
    </p>
    <a class="button plain" href={backHref}>
      {fill(words.goBack, { where: backTo })}
    </a>
  </div>
);

/** When what the page showed under this name was there no more; undefined while it is there, and where it never was. */
export function useGoneAt(name: string, isThere: boolean): number | undefined {
  const { time } = useCardPage();
  const seen = useRef<{ name: string; goneAt: number | undefined } | undefined>(undefined);
  if (isThere) seen.current = { name, goneAt: undefined };
  else if (seen.current?.name === name) seen.current.goneAt ??= time.now();
  return seen.current?.name === name ? seen.current.goneAt : undefined;
}

/** In place of an action that the person's role does not reach. */
export function NeedsRole({
  needed,
  action,
  children,
}: {
  needed: Role;
  action: string;
  children: ComponentChildren;
}): JSX.Element {
  const caller = useCardPage().caller.value;
  // Who they are comes with the connection.
  if (caller === undefined) return <></>;
  if (hasRole(caller, needed)) return <>{children}</>;
  return <p class="note second">{fill(words.needsRole, { role: caller.role, action, needed })}</p>;
}

/** Why writing is off now; undefined while it is not. */
export function useOffBecause(): string | undefined {
  const { connection } = useCardPage();
  return connection.state.value.kind === "live" ? undefined : words.offline;
}

interface LoadedViewProps<T> {
  /** As it begins a sentence: "The agents". */
  what: string;
  from: ReadonlySignal<Loaded<T>>;
  rows?: number;
  gone?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}

export function LoadedView<T>({ what, from, rows, gone, children }: LoadedViewProps<T>): JSX.Element {
  const { data, problem, again } = from.value;
  const isLost = useCardPage().connection.state.value.kind !== "live";
  if (problem?.kind === "gone" && gone !== undefined) return <>{gone}</>;
  // A lost connection is told once, at the top of the page.
  const isTold =
    problem === undefined ||
    problem.kind === "cancelled" ||
    (problem.kind === "unreachable" && data !== undefined && isLost);
  return (
    <>
      {!isTold && <ProblemBox what={what} problem={problem} again={again} />}
      {data === undefined
        ? problem === undefined && <LoadingRows {...(rows !== undefined && { rows })} />
        : children(data)}
    </>
  );
}
