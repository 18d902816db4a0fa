// An agent as its project defines it, in Python or in a card: what it is called, which kind, and its settings by name.
import type { Field, Place } from "./field.ts";

/** What Pallas has a resource for is `agent`; every other kind is reported. */
export const workflowKinds = [
  ...[
    "chain",
    "parallel",
    "router",
    "orchestrator",
    "iterative_planner",
    "evaluator_optimizer",
    "maker",
    "a2a",
    "custom",
  ],
];

export interface Definition {
  kind: string;
  name: string;
  place: Place;
  /** The module or the folder of cards: in it the agents that it names are looked for first. */
  source: string;
  /** `instruction` is text, or opaque. */
  fields: ReadonlyMap<string, Field>;
}
