// Which processes run: compares what should run with what does, starts, stops and restarts no more than that. How one
// process lives is the runner's business.
import type { PallasAgent } from "../../crds/agent.ts";
import { startWaves } from "../../plan/order.ts";
import { keyOf, type RunnableAgent } from "./desired.ts";
import { superviseProcess, type ProcessPlan, type RunnerContext } from "./runner.ts";

interface Running {
  agent: RunnableAgent;
  isStopping: boolean;
  stop(): Promise<void>;
}

export interface Changes {
  started: string[];
  restarted: string[];
  stopped: string[];
}

export class Supervisor {
  readonly #running = new Map<string, Running>();
  readonly #context: RunnerContext;
  readonly #planFor: (agent: RunnableAgent) => ProcessPlan;
  #desired: ReadonlyMap<string, RunnableAgent> = new Map();
  #isStopped = false;

  /** @param planFor how an agent's process is started */
  constructor(context: RunnerContext, planFor: (agent: RunnableAgent) => ProcessPlan) {
    this.#context = context;
    this.#planFor = planFor;
  }

  /** Agents that wait for this one, directly or through others. */
  waitingFor(key: string): string[] {
    const found = new Set([key]);
    for (const next of found) {
      for (const { agent } of this.#running.values()) {
        if (agent.dependencies.includes(next) && !this.#context.board.isReady(agent.key)) found.add(agent.key);
      }
    }
    return [...found].slice(1);
  }

  /**
   * Stops what should not run, restarts what runs on something else now, starts what is new. A process that stops may take
   * its time for the calls that it works on: nothing else waits for it but its successor and who gets its port.
   */
  apply(desired: ReadonlyMap<string, RunnableAgent>): Changes {
    this.#desired = desired;
    const changes: Changes = { started: [], restarted: [], stopped: [] };
    for (const [key, running] of this.#running) {
      const next = desired.get(key);
      if (running.isStopping) continue;
      if (next?.fingerprint === running.agent.fingerprint) {
        running.agent = next; // what it depends on is no reason to start it anew
        continue;
      }
      (next ? changes.restarted : changes.stopped).push(key);
      void running.stop();
    }
    changes.started = [...desired.keys()].filter((key) => !this.#running.has(key));
    this.#startMissing();
    return changes;
  }

  /** Stops everything: those that use others first, then those others; in a hurry all together. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const { hurry } = this.#context;
    const hurried = new Promise<void>((resolve) => hurry.addEventListener("abort", () => resolve(), { once: true }));
    const all = [...this.#running.values()];
    for (const wave of stopOrder(all.map(({ agent }) => agent))) {
      const ended = Promise.all(wave.map(async (key) => this.#running.get(key)?.stop()));
      if (!hurry.aborted) await Promise.race([ended, hurried]);
    }
    await Promise.all(all.map((running) => running.stop()));
  }

  #startMissing(): void {
    if (this.#isStopped) return;
    const held = new Set(
      [...this.#running.values()].filter(({ isStopping }) => isStopping).map(({ agent }) => agent.port),
    );
    for (const [key, agent] of this.#desired) if (!this.#running.has(key) && !held.has(agent.port)) this.#start(agent);
    this.#context.board.announce();
  }

  #start(agent: RunnableAgent): void {
    const controller = new AbortController();
    const running: Running = {
      agent,
      isStopping: false,
      stop: () => {
        running.isStopping = true;
        controller.abort(new Error("stopped"));
        return done;
      },
    };
    this.#running.set(agent.key, running);
    const plan = { ...this.#planFor(agent), dependencies: () => running.agent.dependencies };
    const done = superviseProcess(plan, this.#context, controller.signal).finally(() => {
      this.#running.delete(agent.key);
      this.#startMissing();
    });
  }
}

/** The order of starting, turned round. What never could start, as behind a cycle, goes first: nothing needs it. */
export function stopOrder(agents: readonly RunnableAgent[]): string[][] {
  const namespaces = Map.groupBy(agents, ({ agent }) => agent.metadata.namespace);
  const waves: string[][] = [];
  for (const own of namespaces.values()) {
    const byName = new Map(own.map(({ agent }): [string, PallasAgent] => [agent.metadata.name, agent]));
    for (const [position, wave] of startWaves(byName).entries()) (waves[position] ??= []).push(...wave.map(keyOf));
  }
  const ordered = new Set(waves.flat());
  const others = agents.map(({ key }) => key).filter((key) => !ordered.has(key));
  return [...(others.length > 0 ? [others] : []), ...waves.toReversed()];
}
