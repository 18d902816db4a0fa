// In which order the agents of a run stop: those that use others first. Pure.
import type { PallasAgent } from "../../crds/agent.ts";
import { startWaves } from "../../plan/order.ts";
import type { RunnableAgent } from "./desired.ts";
import { keyOf } from "./process-keys.ts";

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
