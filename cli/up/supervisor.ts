// Which processes run: compares what should run with what does, starts, stops and restarts no more than that. How one
// process lives is the runner's business.
import type { PallasAgent } from "../../crds/agent.ts";
import { startWaves } from "../../plan/order.ts";
import { keyOf, type RunnableAgent } from "./desired.ts";
import { superviseProcess, type ProcessPlan, type RunnerContext } from "./runner.ts";

interface Running {
  agent: RunnableAgent;
  stop(): Promise<void>;
}

export interface Changes {
  started: string[];
  restarted: string[];
  stopped: string[];
}

export class Supervisor {
  private readonly running = new Map<string, Running>();
  private readonly context: RunnerContext;
  private readonly planFor: (agent: RunnableAgent) => ProcessPlan;
  private isStopped = false;

  /** @param planFor how an agent's process is started */
  constructor(context: RunnerContext, planFor: (agent: RunnableAgent) => ProcessPlan) {
    this.context = context;
    this.planFor = planFor;
  }

  /** Agents that wait for this one, directly or through others. */
  waitingFor(key: string): string[] {
    const found = new Set([key]);
    for (const next of found) {
      for (const { agent } of this.running.values()) {
        if (agent.dependencies.includes(next) && !this.context.board.isReady(agent.key)) found.add(agent.key);
      }
    }
    return [...found].slice(1);
  }

  /** Stops what should not run, restarts what runs on something else now, starts what is new. One call at a time. */
  async apply(desired: ReadonlyMap<string, RunnableAgent>): Promise<Changes> {
    const changes: Changes = { started: [], restarted: [], stopped: [] };
    const stopping: Promise<void>[] = [];
    for (const [key, running] of this.running) {
      const next = desired.get(key);
      if (next?.fingerprint === running.agent.fingerprint) {
        running.agent = next; // what it depends on is no reason to start it anew
        continue;
      }
      (next ? changes.restarted : changes.stopped).push(key);
      stopping.push(running.stop());
    }
    await Promise.all(stopping);
    if (this.isStopped) return changes;
    for (const [key, agent] of desired) {
      if (this.running.has(key)) continue;
      if (!changes.restarted.includes(key)) changes.started.push(key);
      this.start(agent);
    }
    this.context.board.announce();
    return changes;
  }

  /** Stops everything: those that use others first, then those others. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const wave of stopOrder([...this.running.values()].map(({ agent }) => agent))) {
      await Promise.all(wave.map(async (key) => this.running.get(key)?.stop()));
    }
  }

  private start(agent: RunnableAgent): void {
    const controller = new AbortController();
    const running: Running = {
      agent,
      stop: () => {
        controller.abort(new Error("stopped"));
        return done;
      },
    };
    this.running.set(agent.key, running);
    const plan = { ...this.planFor(agent), dependencies: () => running.agent.dependencies };
    const done = superviseProcess(plan, this.context, controller.signal).finally(() => this.running.delete(agent.key));
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
