// How often an agent was called through the gateway in 24 hours, and how often that failed.
import type { JSX } from "preact";
import { callMetricsResource, callMetricsUri } from "../../../data/calls.ts";
import { useResource } from "../../../page.ts";
import { Bars } from "../../../parts/bars.tsx";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";

const barPx = 8;
const heightPx = 44;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export function AgentDay({ name }: { name: string }): JSX.Element | null {
  const { data } = useResource(callMetricsUri, callMetricsResource).value;
  if (data === undefined) return null;
  const own = data.agents.find((each) => each.agent_id === name);
  return (
    <section class="stack">
      <h2>{words.day}</h2>
      {own === undefined ? (
        <p class="second">{words.dayNone}</p>
      ) : (
        <div class="row wrap">
          <Bars values={own.calls} failed={own.errors} {...{ barPx, heightPx }} />
          <span>{tellDay(sum(own.calls), sum(own.errors))}</span>
        </div>
      )}
    </section>
  );
}

const tellDay = (calls: number, failed: number): string =>
  failed === 0
    ? plural(words.dayCalls, calls)
    : fill(words.dayOf, { calls: plural(words.dayCalls, calls), failed: plural(words.dayFailed, failed) });
