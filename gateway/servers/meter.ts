// How often each tool was called, how often that failed and how long it took (DSC-11), since this process started. Names are those
// that servers list, never what callers send, so that it cannot grow by them.
export interface ToolMeter {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly averageMs: number;
  readonly lastCalledAt: string;
}

interface Counted {
  calls: number;
  errors: number;
  totalMs: number;
  lastCalledAt: string;
}

export interface Metered {
  server: string;
  tool: string;
  success: boolean;
  durationMs: number;
  at: string;
}

export class Meters {
  readonly #servers = new Map<string, Map<string, Counted>>();

  count({ server, tool, success, durationMs, at }: Metered): void {
    const tools = this.#servers.get(server) ?? new Map<string, Counted>();
    this.#servers.set(server, tools);
    const counted = tools.get(tool) ?? { calls: 0, errors: 0, totalMs: 0, lastCalledAt: at };
    tools.set(tool, counted);
    counted.calls += 1;
    counted.errors += success ? 0 : 1;
    counted.totalMs += durationMs;
    counted.lastCalledAt = at;
  }

  /** By name; those that were called. */
  of(server: string): ToolMeter[] {
    return [...(this.#servers.get(server) ?? [])]
      .map(([tool, { calls, errors, totalMs, lastCalledAt }]) => ({
        tool,
        calls,
        errors,
        averageMs: totalMs / calls,
        lastCalledAt,
      }))
      .toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
  }

  forget(server: string): void {
    this.#servers.delete(server);
  }
}
