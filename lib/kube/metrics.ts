// The kernel's metrics under the names of controller-runtime and client-go, so that existing dashboards and alerts
// work. Series go to the registry that is handed in; those of a controller or queue start at 0.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export type ReconcileOutcome = "success" | "requeue_after" | "error" | "terminal_error";

export interface QueueMetrics {
  added(): void;
  depth(waiting: number): void;
  /** Seconds between the add and the hand-out. */
  waited(seconds: number): void;
  /** Seconds between the hand-out and the end of the work. */
  worked(seconds: number): void;
  retried(): void;
  /** Asked at each scrape: for how many seconds each key in work has been so. */
  inWork(read: () => readonly number[]): void;
}

export interface ControllerMetrics {
  workers(count: number): void;
  active(change: 1 | -1): void;
  reconciled(outcome: ReconcileOutcome, seconds: number): void;
  timedOut(): void;
  /** The reconcile ended by a mistake in the program, not by something that it met. */
  panicked(): void;
}

export type EventResult = "created" | "updated" | "merged" | "dropped" | "failed";

export interface KubeMetrics {
  queue(name: string): QueueMetrics;
  controller(name: string): ControllerMetrics;
  /** `code` is the HTTP status, or `<error>` when there was no answer. */
  requested(method: string, code: string): void;
  /** For the election by the lease of this name. */
  master(name: string): (isLeader: boolean) => void;
  /** Of one kind in one namespace, or in all: whether the server refuses to show it. No metric of client-go's. */
  watchRefused(kind: string, namespace: string | undefined): (refused: boolean) => void;
  /** What became of Kubernetes Events. No metric of client-go's. */
  event(result: EventResult): void;
}

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25,
];
const slowReconcileBuckets = [1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60];
const queueBuckets = [1e-4, 1e-3, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1000];

/** Once per registry: prom-client refuses a second metric of the same name. */
export function createKubeMetrics(registry: Registry): KubeMetrics {
  const requests = new Counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code and method.",
    labelNames: ["code", "method"],
    registers: [registry],
  });
  const queue = queueFamilies(registry);
  const controller = controllerFamilies(registry);
  const master = new Gauge({
    name: "leader_election_master_status",
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.",
    labelNames: ["name"],
    registers: [registry],
  });
  const events = new Counter({
    name: "kubernetes_events_total",
    help: "Number of Kubernetes Events asked for, by what became of them.",
    labelNames: ["result"],
    registers: [registry],
  });
  for (const result of ["created", "updated", "merged", "dropped", "failed"]) events.inc({ result }, 0);
  return {
    queue(name) {
      const labels = { name, controller: name };
      queue.depth.set(labels, 0);
      queue.adds.inc(labels, 0);
      queue.retries.inc(labels, 0);
      return {
        added: () => queue.adds.inc(labels),
        depth: (waiting) => queue.depth.set(labels, waiting),
        waited: (seconds) => queue.queued.observe(labels, seconds),
        worked: (seconds) => queue.worked.observe(labels, seconds),
        retried: () => queue.retries.inc(labels),
        inWork: (read) => queue.inWork.set(name, read),
      };
    },
    controller(name) {
      const labels = { controller: name };
      for (const result of ["success", "error", "requeue", "requeue_after"]) {
        controller.total.inc({ ...labels, result }, 0);
      }
      const { errors, terminal, timeouts, panics } = controller;
      for (const counter of [errors, terminal, timeouts, panics]) counter.inc(labels, 0);
      controller.active.set(labels, 0);
      return {
        workers: (count) => controller.workers.set(labels, count),
        active: (change) => controller.active.inc(labels, change),
        timedOut: () => controller.timeouts.inc(labels),
        panicked: () => controller.panics.inc(labels),
        reconciled(outcome, seconds) {
          const failed = outcome === "error" || outcome === "terminal_error";
          controller.total.inc({ ...labels, result: failed ? "error" : outcome });
          if (failed) controller.errors.inc(labels);
          if (outcome === "terminal_error") controller.terminal.inc(labels);
          controller.seconds.observe(labels, seconds);
        },
      };
    },
    requested: (method, code) => requests.inc({ method, code }),
    master(name) {
      master.set({ name }, 0);
      return (isLeader) => master.set({ name }, isLeader ? 1 : 0);
    },
    watchRefused: refusals(registry),
    event: (result) => events.inc({ result }),
  };
}

function refusals(registry: Registry): KubeMetrics["watchRefused"] {
  const gauge = new Gauge({
    name: "kubernetes_watch_refused",
    help: "1 while the API server refuses to show this kind in this namespace (empty: in all), so it is not looked after.",
    labelNames: ["kind", "namespace"],
    registers: [registry],
  });
  return (kind, namespace = "") => {
    gauge.set({ kind, namespace }, 0);
    return (refused) => gauge.set({ kind, namespace }, refused ? 1 : 0);
  };
}

function queueFamilies(registry: Registry) {
  const common = { labelNames: ["name", "controller"], registers: [registry] };
  const inWork = new Map<string, () => readonly number[]>();
  const gaugeOfWork = (name: string, help: string, fold: (seconds: readonly number[]) => number) =>
    new Gauge({
      name,
      help,
      ...common,
      collect() {
        for (const [queue, read] of inWork) this.set({ name: queue, controller: queue }, fold(read()));
      },
    });
  gaugeOfWork(
    "workqueue_unfinished_work_seconds",
    "How many seconds of work in progress are not yet observed.",
    (all) => all.reduce((sum, seconds) => sum + seconds, 0),
  );
  gaugeOfWork(
    "workqueue_longest_running_processor_seconds",
    "How many seconds the longest running processor of the workqueue has been running.",
    (all) => Math.max(0, ...all),
  );
  return {
    inWork,
    depth: new Gauge({ name: "workqueue_depth", help: "Current depth of workqueue.", ...common }),
    adds: new Counter({ name: "workqueue_adds_total", help: "Total number of adds handled by workqueue.", ...common }),
    retries: new Counter({
      name: "workqueue_retries_total",
      help: "Total number of retries handled by workqueue.",
      ...common,
    }),
    queued: new Histogram({
      name: "workqueue_queue_duration_seconds",
      help: "How long in seconds an item stays in workqueue before being requested.",
      buckets: queueBuckets,
      ...common,
    }),
    worked: new Histogram({
      name: "workqueue_work_duration_seconds",
      help: "How long in seconds processing an item from workqueue takes.",
      buckets: queueBuckets,
      ...common,
    }),
  };
}

function controllerFamilies(registry: Registry) {
  const prefix = "controller_runtime";
  const common = { labelNames: ["controller"], registers: [registry] };
  return {
    total: new Counter({
      name: `${prefix}_reconcile_total`,
      help: "Total number of reconciliations per controller.",
      labelNames: ["controller", "result"],
      registers: [registry],
    }),
    errors: new Counter({
      name: `${prefix}_reconcile_errors_total`,
      help: "Total number of reconciliation errors per controller.",
      ...common,
    }),
    terminal: new Counter({
      name: `${prefix}_terminal_reconcile_errors_total`,
      help: "Total number of terminal reconciliation errors per controller.",
      ...common,
    }),
    panics: new Counter({
      name: `${prefix}_reconcile_panics_total`,
      help: "Total number of reconciliation panics per controller.",
      ...common,
    }),
    timeouts: new Counter({
      name: `${prefix}_reconcile_timeouts_total`,
      help: "Total number of reconciliation timeouts per controller.",
      ...common,
    }),
    seconds: new Histogram({
      name: `${prefix}_reconcile_time_seconds`,
      help: "Length of time per reconciliation per controller.",
      buckets: [...reconcileBuckets, ...slowReconcileBuckets],
      ...common,
    }),
    workers: new Gauge({
      name: `${prefix}_max_concurrent_reconciles`,
      help: "Maximum number of concurrent reconciles per controller.",
      ...common,
    }),
    active: new Gauge({
      name: `${prefix}_active_workers`,
      help: "Number of currently used workers per controller.",
      ...common,
    }),
  };
}
