// The graph of agents: who must be Ready before whom (OPR-4), cycles, and how deep calls can nest.
import type { PallasAgent } from "../crds/agent.ts";

/** Calls from agent to agent may nest this deep. */
export const maxCallDepth = 8;

/** Names of the agents that it calls. */
export const calledBy = ({ spec }: PallasAgent): string[] => (spec.agents ?? []).map(({ name }) => name);

/** Names of the agents that must be Ready first: its sub-agents and what it says in dependsOn. */
export const dependenciesOf = (agent: PallasAgent): string[] => [
  ...new Set([...calledBy(agent), ...(agent.spec.dependsOn ?? [])]),
];

export type AgentsByName = ReadonlyMap<string, PallasAgent>;

/**
 * The shortest chain of dependencies that leads from an agent back to itself, both ends included, or undefined.
 * An agent that merely depends on a cycle is not part of it.
 */
export function findCycle(start: string, agents: AgentsByName): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const pending = [start];
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    const agent = agents.get(name);
    for (const next of agent ? dependenciesOf(agent) : []) {
      if (next === start) return [...chainTo(name, start, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, name);
      pending.push(next);
    }
  }
  return undefined;
}

function chainTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const chain = [end];
  for (let name = end; name !== start;) {
    const before = cameFrom.get(name);
    if (before === undefined) break;
    chain.unshift(before);
    name = before;
  }
  return chain;
}

/**
 * Whether an agent depends on agents that depend on each other in a circle: their problem is not its own. Takes away
 * what depends on nothing until nothing more can go; linear in the agents it reaches.
 */
export function isBehindCycle(name: string, agents: AgentsByName): boolean {
  const reached = new Set([name]);
  const openDependencies = new Map<string, number>();
  const dependants = new Map<string, string[]>();
  for (const each of reached) {
    const agent = agents.get(each);
    const dependencies = agent ? dependenciesOf(agent) : [];
    openDependencies.set(each, dependencies.length);
    for (const dependency of dependencies) {
      reached.add(dependency);
      dependants.set(dependency, [...(dependants.get(dependency) ?? []), each]);
    }
  }
  const free = [...reached].filter((each) => openDependencies.get(each) === 0);
  for (const each of free) {
    for (const dependant of dependants.get(each) ?? []) {
      const open = (openDependencies.get(dependant) ?? 0) - 1;
      openDependencies.set(dependant, open);
      if (open === 0) free.push(dependant);
    }
  }
  return free.length < reached.size;
}

/**
 * Levels of calls below an agent: 0 without sub-agents. Counted up to one more than is allowed, which also ends the
 * walk where calls come back to themselves.
 */
export function callDepth(name: string, agents: AgentsByName): number {
  let callers = new Set([name]);
  for (let depth = 0; ; depth += 1) {
    const called = new Set(
      [...callers].flatMap((caller) => (agents.get(caller)?.spec.agents ?? []).map((a) => a.name)),
    );
    if (called.size === 0 || depth > maxCallDepth) return depth;
    callers = called;
  }
}

/**
 * Agents in waves: each depends only on earlier waves. What is in or behind a cycle, or behind something missing,
 * is in no wave.
 */
export function startWaves(agents: AgentsByName): PallasAgent[][] {
  const started = new Set<string>();
  const waves: PallasAgent[][] = [];
  for (;;) {
    const wave = [...agents.values()].filter(
      (agent) => !started.has(agent.metadata.name) && dependenciesOf(agent).every((name) => started.has(name)),
    );
    if (wave.length === 0) return waves;
    for (const agent of wave) started.add(agent.metadata.name);
    waves.push(wave);
  }
}
