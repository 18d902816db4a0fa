// An agent as its project defines it, in Python or in a card: what it is called, which kind, and its settings by name.
import type { Field, Place } from "./field.ts";

/** What Pallas has a resource for is `agent`; every other kind is told of. */
export const workflowKinds = [
  "chain",
  "parallel",
  "router",
  "orchestrator",
  "iterative_planner",
  "evaluator_optimizer",
  "maker",
  "a2a",
  "custom",
] as const;
export type DefinitionKind = "agent" | (typeof workflowKinds)[number];

export interface Definition {
  kind: DefinitionKind;
  name: string;
  place: Place;
  /** `instruction` is text, or opaque. */
  fields: ReadonlyMap<string, Field>;
}
