// One call of the log: who, when, what came of it, and for approvers its arguments and its answer as data.
import type { ComponentChildren, JSX } from "preact";
import type { LogEntry } from "../../data/calls.ts";
import { usePage } from "../../page.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Mark } from "../../parts/mark.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { NeedsRole } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { callWords as words } from "../../words/calls.ts";
import { fill } from "../../words/fill.ts";
import { tellDuration, tellExact } from "../../words/times.ts";
import { tellCallKind, testerPartOf } from "./call-kind.ts";

interface CallSheetProps {
  id: string;
  /** Undefined where the log does not have it any more. */
  entry: LogEntry | undefined;
  /** Calls in the log. */
  count: number;
}

export function CallSheet({ id, entry, count }: CallSheetProps): JSX.Element {
  const { router } = usePage();
  const testerPart = entry && testerPartOf(entry.kind);
  const close = () => router.setQuery({ call: undefined });
  return (
    <Dialog
      title={entry === undefined ? fill(words.sheet, { id }) : `${entry.server} / ${entry.tool}`}
      look="sheet"
      onClose={close}
    >
      {entry === undefined ? <p class="second">{fill(words.gone, { n: count })}</p> : <Call entry={entry} />}
      <div class="row wrap">
        <Button onPress={close}>{words.close}</Button>
        {entry !== undefined && testerPart !== undefined && (
          <ButtonLink href={link(["tester", entry.server, testerPart, entry.tool])} icon="tester" look="quiet">
            {words.tryAgain}
          </ButtonLink>
        )}
      </div>
    </Dialog>
  );
}

const Call = ({ entry }: { entry: LogEntry }) => (
  <>
    <dl class="facts">
      <dt>{words.outcome}</dt>
      <dd>
        <Mark state={entry.success ? "ready" : "error"} word={entry.success ? words.answered : words.failed} />
      </dd>
      <dt>{words.when}</dt>
      <dd>{tellExact(Date.parse(entry.timestamp))}</dd>
      <dt>{words.took}</dt>
      <dd>{tellDuration(entry.latency_ms)}</dd>
      <dt>{words.kind}</dt>
      <dd>{tellCallKind(entry.kind)}</dd>
      <dt>{words.caller}</dt>
      <dd>
        <ValueText text={entry.caller === "" ? words.nothing : entry.caller} />
      </dd>
    </dl>
    <NeedsRole needed="approver" action={words.needsApprover}>
      <Part name={words.arguments}>{renderArguments(entry.args)}</Part>
      <Part name={words.answer}>{entry.response}</Part>
    </NeedsRole>
  </>
);

const renderArguments = (args: unknown): string | null =>
  args === null || args === undefined ? null : JSON.stringify(args, null, 2);

function Part({ name, children }: { name: string; children: string | null }): ComponentChildren {
  return (
    <section class="stack">
      <div class="row">
        <h3>{name}</h3>
        <span class="space" />
        {children !== null && <CopyButton word={words.copy} text={children} small />}
      </div>
      {children === null ? (
        <p class="note second">{words.notKept}</p>
      ) : (
        <div class="well">
          <ValueText text={children} />
        </div>
      )}
    </section>
  );
}
