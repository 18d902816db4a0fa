// What was made for a program that its owner does not want any more: the gateway of an instance, the bridge of a tool server.
import type { ChildWriter, Writing } from "./children.ts";
import type { ChildKind } from "./resources.ts";

/** Its pods first, then what they needed, its rights before its account. */
const removedKinds = [
  "deployment",
  "service",
  "roleBinding",
  "role",
  "serviceAccount",
  "networkPolicy",
  "podDisruptionBudget",
] as const satisfies readonly ChildKind[];

/**
 * Removes the owner's children of this name, and every ConfigMap it owns. Tries all of them before it throws what the
 * first one failed by; where there is none it does nothing.
 */
export async function removeProgram(children: ChildWriter, name: string, writing: Writing): Promise<void> {
  const failures: unknown[] = [];
  const attempt = (removal: Promise<void>) => removal.catch((error: unknown) => void failures.push(error));
  for (const kind of removedKinds) await attempt(children.remove(kind, name, writing));
  const configs = children.listOwned("configMap", writing.owner);
  for (const { metadata } of configs) await attempt(children.remove("configMap", metadata.name, writing));
  if (failures.length > 0) throw failures[0];
}
