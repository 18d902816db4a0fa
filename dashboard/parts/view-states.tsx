// The states that every view has beside its data: loading, a problem, no permission, gone, nothing there. A view asks `LoadedView` to
// show its data; what was there stays while something is wrong, with the problem above it.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ReadonlySignal } from "@preact/signals";
import type { Loaded } from "../connect/resources.ts";
import type { Problem } from "../connect/problem.ts";
import { useCardPage } from "../page.ts";
import { hasRole, type Role } from "../session/caller.ts";
import { fill } from "../words/fill.ts";
import { stateWords as words } from "../words/states.ts";
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

/** What did not answer, and how to go on. */
export function ProblemBox({ what, problem }: { what: string; problem: Problem }): JSX.Element {
  const { connection, config } = useCardPage();
  const { namespace, instance, local } = config;
  return (
    <div class="problem" role="alert">
      <p class="bad row">
        <Icon name="error" /> {fill(words.notAnswering, { what, reason: problem.message })}
      </p>
      <div class="row wrap">
        <Button onPress={connection.retry} small>
          {words.tryNow}
        </Button>
        <span class="note second">
          {local ? words.lastingLocal : `${words.lasting} `}
          {!local && <code>{fill(words.lastingCommand, { namespace, instance })}</code>}
        </span>
      </div>
    </div>
  );
}

export const Gone = ({
  what,
  name,
  backTo,
  backHref,
}: {
  what: string;
  name: string;
  backTo: string;
  backHref: string;
}) => (
  <div class="empty">
    <p class="strong">{fill(words.gone, { what, name })}</p>
    <a class="button plain" href={backHref}>
      {fill(words.goBack, { where: backTo })}
    </a>
  </div>
);

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
  if (hasRole(caller, needed)) return <>{children}</>;
  return <p class="note second">{fill(words.needsRole, { role: caller?.role ?? "", action, needed })}</p>;
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
  const { data, problem } = from.value;
  if (problem?.kind === "gone" && gone !== undefined) return <>{gone}</>;
  // A lost connection is told once, at the top of the page.
  const isTold =
    problem === undefined || problem.kind === "cancelled" || (problem.kind === "unreachable" && data !== undefined);
  return (
    <>
      {!isTold && <ProblemBox what={what} problem={problem} />}
      {data === undefined
        ? problem === undefined && <LoadingRows {...(rows !== undefined && { rows })} />
        : children(data)}
    </>
  );
}
