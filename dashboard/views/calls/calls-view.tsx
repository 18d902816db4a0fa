// The view of calls: how many, how many failed, how long and how many waited in 24 hours, and the log of single ones.
import type { JSX } from "preact";
import { callLogResource, callLogUri, callMetricsResource, callMetricsUri } from "../../data/calls.ts";
import { usePage, useResource } from "../../page.ts";
import { LoadedView } from "../../parts/view-states.tsx";
import { callWords as words } from "../../words/calls.ts";
import { CallLog } from "./call-log.tsx";
import { CallSheet } from "./call-sheet.tsx";
import { DayCharts } from "./day-charts.tsx";

export function CallsView(): JSX.Element {
  const { router } = usePage();
  const metrics = useResource(callMetricsUri, callMetricsResource);
  const log = useResource(callLogUri, callLogResource);
  const opened = router.route.value.query.get("call");
  return (
    <>
      <header class="head">
        <h1 tabIndex={-1}>{words.title}</h1>
        <span class="second">{words.charts}</span>
      </header>
      <div class="stack-wide">
        <LoadedView what={words.what} from={metrics} rows={3}>
          {(data) => <DayCharts metrics={data} />}
        </LoadedView>
        <LoadedView what={words.logWhat} from={log}>
          {({ entries, total }) => (
            <>
              <CallLog entries={entries} total={total} />
              {opened !== undefined && (
                <CallSheet id={opened} entry={entries.find(({ id }) => String(id) === opened)} count={entries.length} />
              )}
            </>
          )}
        </LoadedView>
      </div>
    </>
  );
}
