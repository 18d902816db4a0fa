// What the rows of running and of ended calls have in common: who asked, when, and what it has cost.
import type { JSX } from "preact";
import type { ShownRun } from "../../../data/agent-parts.ts";
import { Age } from "../../../parts/age.tsx";
import type { Column } from "../../../parts/table.tsx";
import { phone, useMedia } from "../../../parts/use-media.ts";
import { plural, tellNumber } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";

const rowHeights = { phone: 60, plain: 44 } as const;

export const useRunRowHeight = (): number => (useMedia(phone) ? rowHeights.phone : rowHeights.plain);

export const keyOfRun = ({ run_id: id }: ShownRun): string => id;

export const runColumns: readonly Column<ShownRun>[] = [
  { key: "caller", title: words.whoAsked, render: (run) => <WhoAsked run={run} /> },
  { key: "started", title: words.started, render: ({ started_at: at }) => <Age at={at} /> },
  { key: "steps", title: words.steps, numeric: true, render: ({ steps }) => tellNumber(steps) },
  { key: "tokens", title: words.tokens, numeric: true, render: ({ tokens }) => tellNumber(tokens) },
];

/** With what it has cost beneath, where there are no columns of their own for it. */
function WhoAsked({ run: { caller, steps, tokens, run_id: id } }: { run: ShownRun }): JSX.Element {
  return (
    <>
      <p class="cut" title={`${caller ?? words.nobodyKnown}\n${id}`}>
        {caller ?? words.nobodyKnown}
      </p>
      <p class="agent-run-cost note second">
        {plural(words.stepsOf, steps)}, {plural(words.tokensOf, tokens)}
      </p>
    </>
  );
}
