// What went through this process in the last 24 hours, by the hour (DSC-11): calls of tools of servers, and messages to agents. Names are
// those of agents and of tools that servers list, and only so many: the one that was called longest ago gives way.
import type { Clock } from "../../lib/process/clock.ts";
import { DaySum, findMedianMs, hourMs, HourlySeries, HourlySum, shownHours } from "./hourly-series.ts";

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
    const sums = new Map<string, DaySum>();
    for (const { server, series } of this.#tools.values()) {
      const day = sums.get(server) ?? new DaySum();
      sums.set(server, day);
      series.addTo(hour, { day });
    }
    return new Map([...sums].map(([name, day]) => [name, renderDay(day)]));
  }

  view(sees: TrendReader): Trend {
    const hour = this.#hour();
    const hours = new HourlySum({ keepsTimes: true });
    const tools = [...this.#tools.values()].filter(({ server }) => sees.server(server));
    const agents = [...this.#agents].filter(([name]) => sees.agent(name));
    const shownTools = tools.flatMap((each) => renderTool(each, hour, hours));
    const shownAgents = agents.flatMap(([agent, series]) => {
      const own = new HourlySum({ keepsTimes: false });
      series.addTo(hour, { hours: own });
      series.addTo(hour, { hours });
      const { calls, errors } = own;
      return calls.every((each) => each === 0) ? [] : [{ agent, calls, errors, lastCallAt: renderMs(series.lastMs) }];
    });
    return {
      since: renderMs(this.#sinceMs),
      hours: hours.calls.map((_, at) => renderMs((hour - shownHours + 1 + at) * hourMs)),
      ...{ calls: hours.calls, errors: hours.errors, medianMs: hours.times.map(findMedianMs) },
      agents: shownAgents.toSorted((a, b) => (a.agent < b.agent ? -1 : 1)),
      tools: shownTools.toSorted((a, b) => b.calls - a.calls),
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

const renderDay = ({ calls, errors, times }: DaySum): DayCount => ({ calls, errors, medianMs: findMedianMs(times) });

/** None of a tool that was not called in these hours; else it is added to all that were. */
function renderTool({ server, tool, series }: ToolSeries, hour: number, hours: HourlySum): ToolTrend[] {
  const day = new DaySum();
  series.addTo(hour, { hours, day });
  return day.calls === 0 ? [] : [{ server, tool, ...renderDay(day), lastCalledAt: renderMs(series.lastMs) }];
}
