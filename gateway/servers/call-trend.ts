// What went through this process in the last 24 hours, by the hour (DSC-11): calls of tools of servers, and messages to agents. Names are
// those of agents and of tools that servers list, and only so many: the one that was called longest ago gives way.
import type { Clock } from "../../lib/process/clock.ts";
import { addTimes, createTimes, findMedianMs, hourMs, HourlySeries, shownHours, type Times } from "./hourly-series.ts";

export const maxTrendAgents = 1_024;
export const maxTrendTools = 2_000;

export interface CountedTool {
  server: string;
  tool: string;
  success: boolean;
  durationMs: number;
}

export interface CountedMessage {
  agent: string;
  success: boolean;
}

/** Which names are counted in. */
export interface TrendReader {
  agent(name: string): boolean;
  server(name: string): boolean;
}

export interface Trend {
  since: string;
  /** When each begins, the oldest first. */
  hours: readonly string[];
  calls: number[];
  errors: number[];
  medianMs: readonly (number | null)[];
  agents: readonly { agent: string; calls: number[]; errors: number[]; lastCallAt: string }[];
  tools: readonly ToolTrend[];
}

export interface ToolTrend extends DayCount {
  server: string;
  tool: string;
  lastCalledAt: string;
}

interface DayCount {
  calls: number;
  errors: number;
  medianMs: number | null;
}

interface ToolSeries {
  readonly server: string;
  readonly tool: string;
  readonly series: HourlySeries;
}

const renderMs = (ms: number): string => new Date(ms).toISOString();
const zeros = (): number[] => Array.from({ length: shownHours }, () => 0);

export class CallTrend {
  readonly #clock: Pick<Clock, "wallNow">;
  readonly #sinceMs: number;
  readonly #agents = new Map<string, HourlySeries>();
  readonly #tools = new Map<string, ToolSeries>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Pick<Clock, "wallNow">) {
    this.#clock = clock;
    this.#sinceMs = clock.wallNow();
  }

  countTool({ server, tool, ...counted }: CountedTool): void {
    const key = JSON.stringify([server, tool]);
    const found = this.#tools.get(key) ?? { server, tool, series: new HourlySeries({ keepsTimes: true }) };
    keepLast(this.#tools, key, found, maxTrendTools);
    found.series.count(this.#clock.wallNow(), counted);
    this.#tell();
  }

  countMessage({ agent, success }: CountedMessage): void {
    const series = this.#agents.get(agent) ?? new HourlySeries({ keepsTimes: false });
    keepLast(this.#agents, agent, series, maxTrendAgents);
    series.count(this.#clock.wallNow(), { success, durationMs: 0 });
    this.#tell();
  }

  /** Undefined where nobody has called it. */
  lastCallAt(agent: string): string | undefined {
    const series = this.#agents.get(agent);
    return series && renderMs(series.lastMs);
  }

  /** By name, of servers that were called. */
  ofServers(): ReadonlyMap<string, DayCount> {
    const hour = this.#hour();
    const sums = new Map<string, { calls: number; errors: number; times: Times }>();
    for (const { server, series } of this.#tools.values()) {
      const sum = sums.get(server) ?? { calls: 0, errors: 0, times: createTimes() };
      sums.set(server, sum);
      addSlots(sum, series, hour);
    }
    return new Map([...sums].map(([name, sum]) => [name, renderDay(sum)]));
  }

  view(sees: TrendReader): Trend {
    const hour = this.#hour();
    const [calls, errors] = [zeros(), zeros()];
    const times = Array.from({ length: shownHours }, createTimes);
    const tools = [...this.#tools.values()].filter(({ server }) => sees.server(server));
    for (const { series } of tools) {
      addTo(series, hour, calls, errors);
      for (const slot of series.last(hour)) addSlotTimes(times[indexOf(slot.hour, hour)], slot.times);
    }
    const agents = [...this.#agents].filter(([name]) => sees.agent(name));
    const shown = agents.flatMap(([agent, series]) => {
      const own = { agent, calls: zeros(), errors: zeros(), lastCallAt: renderMs(series.lastMs) };
      addTo(series, hour, own.calls, own.errors);
      addTo(series, hour, calls, errors);
      return series.last(hour).length === 0 ? [] : [own];
    });
    return {
      since: renderMs(this.#sinceMs),
      hours: calls.map((_, at) => renderMs((hour - shownHours + 1 + at) * hourMs)),
      ...{ calls, errors, medianMs: times.map(findMedianMs) },
      agents: shown.toSorted((a, b) => (a.agent < b.agent ? -1 : 1)),
      tools: tools.flatMap((each) => renderTool(each, hour)).toSorted((a, b) => b.calls - a.calls),
    };
  }

  /** Hears of each call, until what it returns is called. */
  onCount(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #hour(): number {
    return Math.floor(this.#clock.wallNow() / hourMs);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** As the last of the map, which holds no more than `max`. */
function keepLast<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

const indexOf = (hour: number, last: number): number => hour - last + shownHours - 1;

function addTo(series: HourlySeries, last: number, calls: number[], errors: number[]): void {
  for (const slot of series.last(last)) {
    const at = indexOf(slot.hour, last);
    calls[at] = (calls[at] ?? 0) + slot.calls;
    errors[at] = (errors[at] ?? 0) + slot.errors;
  }
}

function addSlotTimes(sum: Times | undefined, more: Times | undefined): void {
  if (sum !== undefined && more !== undefined) addTimes(sum, more);
}

function addSlots(sum: { calls: number; errors: number; times: Times }, series: HourlySeries, hour: number): void {
  for (const slot of series.last(hour)) {
    sum.calls += slot.calls;
    sum.errors += slot.errors;
    addSlotTimes(sum.times, slot.times);
  }
}

const renderDay = ({ calls, errors, times }: { calls: number; errors: number; times: Times }): DayCount => ({
  ...{ calls, errors, medianMs: findMedianMs(times) },
});

/** None of a tool that was not called in these hours. */
function renderTool({ server, tool, series }: ToolSeries, hour: number): ToolTrend[] {
  const sum = { calls: 0, errors: 0, times: createTimes() };
  addSlots(sum, series, hour);
  return sum.calls === 0 ? [] : [{ server, tool, ...renderDay(sum), lastCalledAt: renderMs(series.lastMs) }];
}
