// The series of a bridge. Every label has a fixed set of values, whatever clients and servers send.
import { Counter, Gauge, Histogram } from "prom-client";
import { metricNames } from "../crds/metric-names.ts";
import { createMetrics } from "../lib/process/metrics.ts";
import type { ProcessCounts } from "./stdio/server-process.ts";
import type { StartCounts } from "./stdio/starts.ts";
import type { CallOutcome } from "./relay/calls.ts";

const callOutcomes = ["ok", "error", "timeout", "cancelled", "lost", "refused"] as const satisfies CallOutcome[];
const startOutcomes = ["ok", "failed"] as const;

export interface BridgeMetrics extends ProcessCounts, StartCounts {
  onCall(outcome: CallOutcome, durationMs: number): void;
  onRestart(): void;
  onFull(): void;
  /** Text 0.0.4. */
  render(): Promise<{ body: string; contentType: string }>;
}

export interface Observed {
  /** Processes of the server. */
  countProcesses(): number;
  /** Sessions of the 2025 era. */
  countSessions(): number;
  /** Whether the server can be had. */
  isUp(): boolean;
}

/** `observe` is asked at each scrape. */
export function createBridgeMetrics(observe: () => Observed): BridgeMetrics {
  const metrics = createMetrics();
  const registers = [metrics.registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string, read: (observed: Observed) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(observe()));
      },
    });
  new Gauge({ name: metricNames.up, help: "1 while the process runs.", registers }).set(1);
  const calls = counter("pallas_bridge_calls_total", "Requests that were passed on, by how they ended.", ["outcome"]);
  const seconds = new Histogram({
    name: "pallas_bridge_call_duration_seconds",
    help: "Time of requests that were passed on, to their answers.",
    buckets: [0.001, 0.01, 0.1, 1, 10, 60, 600],
    registers,
  });
  const starts = counter("pallas_bridge_starts_total", "Starts of the server's processes, by whether it answered.", [
    "outcome",
  ]);
  const restarts = counter("pallas_bridge_restarts_total", "Processes that took the place of one which had ended.");
  const full = counter("pallas_bridge_sessions_refused_total", "Sessions that found no place.");
  const read = counter("pallas_bridge_read_bytes_total", "Bytes that the server wrote to its standard output.");
  const stray = counter("pallas_bridge_stray_lines_total", "Lines on standard output that are no messages of MCP.");
  gauge("pallas_bridge_processes", "Processes of the server that run.", (each) => each.countProcesses());
  gauge("pallas_bridge_sessions", "Sessions of the 2025 era that are open.", (each) => each.countSessions());
  gauge("pallas_bridge_server_up", "1 while the server can be started or reached.", (each) => (each.isUp() ? 1 : 0));
  // A rate needs the series to be there before the first event.
  for (const outcome of callOutcomes) calls.inc({ outcome }, 0);
  for (const outcome of startOutcomes) starts.inc({ outcome }, 0);
  return {
    onCall(outcome, durationMs) {
      calls.inc({ outcome });
      seconds.observe(durationMs / 1_000);
    },
    onStart: (outcome) => starts.inc({ outcome }),
    onRestart: () => restarts.inc(),
    onFull: () => full.inc(),
    onStray: () => stray.inc(),
    onRead: (bytes) => read.inc(bytes),
    render: () => metrics.render(),
  };
}
