// Calls, failures, median and what waited, of 24 hours, each with its number in large, its bars, and all numbers in a table for who
// wants to read them.
import type { ComponentChildren, JSX } from "preact";
import type { CallMetrics } from "../../data/calls.ts";
import { Bars } from "../../parts/bars.tsx";
import { fill, tellNumber } from "../../words/fill.ts";
import { callWords as words } from "../../words/calls.ts";
import { tellClock, tellDuration } from "../../words/times.ts";
import { sumUpDay } from "./day-numbers.ts";

const barPx = 8;
const heightPx = 44;

const tellHour = (hour: string | undefined): string => tellClock(Date.parse(hour ?? ""));
const tellMedian = (ms: number | null | undefined): string =>
  typeof ms === "number" ? tellDuration(ms) : words.nothing;

export function DayCharts({ metrics }: { metrics: CallMetrics }): JSX.Element {
  const { calls, errors, median_ms: medians, waiting } = metrics;
  const day = sumUpDay(metrics);
  const names = words.chart;
  const failedNote =
    day.failed === 0 ? words.chartNote.noneFailed : fill(words.chartNote.failed, { share: day.failedShare });
  const { median } = day;
  return (
    <section aria-label={words.charts} class="calls-day">
      <div class="calls-charts">
        <Chart name={names.calls} number={tellNumber(day.calls)} note={words.chartNote.calls}>
          <Hours name={names.calls} metrics={metrics} values={calls} />
        </Chart>
        <Chart name={names.failed} number={tellNumber(day.failed)} note={failedNote} isBad={day.failed > 0}>
          <Hours name={names.failed} metrics={metrics} values={errors} failed={errors} />
        </Chart>
        <Chart
          name={names.median}
          number={tellMedian(median?.ms)}
          note={median ? fill(words.chartNote.median, { time: tellHour(median.hour) }) : words.chartNote.noMedian}
        >
          <Hours name={names.median} metrics={metrics} values={medians.map((ms) => ms ?? 0)} tell={tellMedian} />
        </Chart>
        <Chart name={names.waiting} number={tellNumber(day.waiting)} note={words.chartNote.waiting}>
          <Hours name={names.waiting} metrics={metrics} values={waiting} />
        </Chart>
      </div>
      <Numbers metrics={metrics} />
    </section>
  );
}

interface ChartProps {
  name: string;
  number: string;
  note: string;
  isBad?: boolean;
  children: ComponentChildren;
}

const Chart = ({ name, number, note, isBad = false, children }: ChartProps) => (
  <div class="card calls-chart">
    <h2 class="calls-chart-name">{name}</h2>
    <p class={isBad ? "calls-number bad" : "calls-number"}>{number}</p>
    <p class="note second">{note}</p>
    {children}
  </div>
);

interface HoursProps {
  name: string;
  metrics: CallMetrics;
  values: readonly number[];
  failed?: readonly number[];
  tell?: (value: number) => string;
}

function Hours({ name, metrics: { hours }, values, failed, tell = tellNumber }: HoursProps): JSX.Element {
  const numbers = values.map(tell).join(", ");
  const label = fill(words.byHour, { name, from: tellHour(hours[0]), to: tellHour(hours.at(-1)), numbers });
  return (
    <div class="calls-bars">
      <Bars {...{ values, barPx, heightPx, label }} {...(failed !== undefined && { failed })} />
      <p class="note third calls-axis" aria-hidden="true">
        <span>{tellHour(hours[0])}</span>
        <span>{words.now}</span>
      </p>
    </div>
  );
}

const Numbers = ({ metrics: { hours, calls, errors, median_ms: medians, waiting } }: { metrics: CallMetrics }) => (
  <details class="calls-numbers">
    <summary>{words.numbers}</summary>
    <table class="card">
      <thead>
        <tr>
          {[words.hour, words.chart.calls, words.chart.failed, words.chart.median, words.chart.waiting].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hours.map((hour, at) => (
          <tr key={hour}>
            <th scope="row">{tellHour(hour)}</th>
            <td>{tellNumber(calls[at] ?? 0)}</td>
            <td>{tellNumber(errors[at] ?? 0)}</td>
            <td>{tellMedian(medians[at])}</td>
            <td>{tellNumber(waiting[at] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
