// Children that an owner has only sometimes: applied before its pods, since none may run without them, and those of ours
// that are not wanted any more taken away after everything else.
import type { ChildWriter, Writing } from "./children.ts";
import type { ChildKind } from "./resources.ts";

const sometimes = ["networkPolicy", "podDisruptionBudget"] as const satisfies ChildKind[];

type Sometimes = (typeof sometimes)[number];
/** Undefined: not wanted. */
type RenderedSometimes = Readonly<Record<Sometimes, Parameters<ChildWriter["apply"]>[1] | undefined>>;

export async function applyWanted(children: ChildWriter, rendered: RenderedSometimes, writing: Writing): Promise<void> {
  for (const kind of sometimes) {
    const desired = rendered[kind];
    if (desired) await children.apply(kind, desired, writing);
  }
}

/** Comes last, so that a removal that fails, or waits for its deadline, holds up nothing else, nor another removal. */
export async function removeUnwanted(
  children: ChildWriter,
  rendered: RenderedSometimes,
  names: Readonly<Record<Sometimes, string>>,
  writing: Writing,
): Promise<void> {
  const unwanted = sometimes.filter((kind) => rendered[kind] === undefined);
  const removals = unwanted.map((kind) => children.remove(kind, names[kind], writing));
  for (const outcome of await Promise.allSettled(removals)) if (outcome.status === "rejected") throw outcome.reason;
}
