// The processes beside the agents, registry and gateways: started with the run, stopped before the agents, and started anew
// when what they are told at their start has changed.
import { superviseProcess, type ProcessPlan, type RunnerContext } from "./runner.ts";

export interface Service {
  plan: ProcessPlan;
  /** Differs exactly when the process must be started anew. */
  fingerprint: string;
}

interface Running {
  fingerprint: string;
  stop(): Promise<void>;
}

export class Services {
  readonly #context: RunnerContext;
  readonly #running = new Map<string, Running>();

  constructor(context: RunnerContext) {
    this.#context = context;
  }

  async apply(wanted: readonly Service[]): Promise<void> {
    const next = new Map(wanted.map((service) => [service.plan.key, service]));
    const changed = [...this.#running].filter(([key, { fingerprint }]) => next.get(key)?.fingerprint !== fingerprint);
    for (const [key] of changed) this.#running.delete(key);
    await Promise.all(changed.map(([, { stop }]) => stop()));
    for (const [key, service] of next) if (!this.#running.has(key)) this.#start(service);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((service) => service.stop()));
  }

  #start({ plan, fingerprint }: Service): void {
    const controller = new AbortController();
    const ended = superviseProcess(plan, this.#context, controller.signal);
    const stop = (): Promise<void> => {
      controller.abort(new Error("stopped"));
      return ended;
    };
    this.#running.set(plan.key, { fingerprint, stop });
  }
}
