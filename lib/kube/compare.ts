/**
 * Whether a live object still holds everything that a desired one asks for. What the server or others added is left
 * alone, as server-side apply does: extra fields always, extra elements only in lists that are merged by key.
 */
import { isSameQuantity } from "./quantity.ts";

export interface Difference {
  /** Such as `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly live: unknown;
}

/** Fields whose lists of objects are merged element by element (`listType: map`) in the built-in kinds. */
const mergedLists: ReadonlySet<string> = new Set([
  "conditions",
  "containers",
  "env",
  "ephemeralContainers",
  "finalizers",
  "hostAliases",
  "imagePullSecrets",
  "initContainers",
  "ownerReferences",
  "ports",
  "secrets",
  "topologySpreadConstraints",
  "volumeDevices",
  "volumeMounts",
  "volumes",
]);
/** Network policies have `ports` too, but there the list is one value. */
const wholeInside: ReadonlySet<string> = new Set(["ingress", "egress"]);
const quantities: ReadonlySet<string> = new Set(["limits", "requests", "capacity"]);
const quantityFields: ReadonlySet<string> = new Set(["sizeLimit", "divisor"]);
/** More are not collected: one is enough to act, the rest is for the log. */
const maxDifferences = 20;

/** The places where `live` does not hold what `desired` asks for; empty when nothing needs to be written. */
export function differences(desired: unknown, live: unknown): Difference[] {
  const found: Difference[] = [];
  compare(desired, live, [], found);
  return found;
}

function compare(desired: unknown, live: unknown, path: readonly string[], found: Difference[]): void {
  if (found.length >= maxDifferences || isUnset(desired, path)) {
    // An unset value asks for nothing; that it was set before is seen by the hash of the whole.
    return;
  }
  if (Array.isArray(desired)) {
    if (!Array.isArray(live)) found.push({ path: renderPath(path), live });
    else compareLists(desired, live, path, found);
  } else if (isRecord(desired)) {
    if (!isRecord(live)) {
      found.push({ path: renderPath(path), live });
      return;
    }
    for (const [name, value] of Object.entries(desired)) compare(value, live[name], [...path, name], found);
  } else if (!isSameScalar(desired, live, path)) {
    found.push({ path: renderPath(path), live });
  }
}

function compareLists(
  desired: readonly unknown[],
  live: readonly unknown[],
  path: readonly string[],
  found: Difference[],
): void {
  if (!isMergedList(path)) {
    if (desired.length !== live.length) found.push({ path: renderPath(path), live });
    else desired.forEach((element, i) => compare(element, live[i], [...path, `[${i}]`], found));
    return;
  }
  // Order counts (env, initContainers), foreign elements between ours do not.
  let from = 0;
  for (const [i, element] of desired.entries()) {
    const at = live.findIndex((candidate, j) => j >= from && holds(element, candidate, [...path, `[${i}]`]));
    if (at < 0) explain(element, live, [...path, `[${i}]`], found);
    else from = at + 1;
  }
}

/** Why no element of `live` will do: what differs in the one of the same name, or that there is none in this place. */
function explain(element: unknown, live: readonly unknown[], path: readonly string[], found: Difference[]): void {
  const name = isRecord(element) ? element["name"] : undefined;
  const namesake = live.find((candidate) => name !== undefined && isRecord(candidate) && candidate["name"] === name);
  const before = found.length;
  if (namesake !== undefined) compare(element, namesake, path, found);
  if (found.length === before) found.push({ path: renderPath(path), live });
}

function holds(desired: unknown, live: unknown, path: readonly string[]): boolean {
  const found: Difference[] = [];
  compare(desired, live, path, found);
  return found.length === 0;
}

function isMergedList(path: readonly string[]): boolean {
  const name = path.at(-1);
  return name !== undefined && mergedLists.has(name) && !path.some((part) => wholeInside.has(part));
}

function isSameScalar(desired: unknown, live: unknown, path: readonly string[]): boolean {
  if (desired === live) return true;
  const amount = quantities.has(path.at(-2) ?? "") || quantityFields.has(path.at(-1) ?? "");
  return amount && isScalar(desired) && isScalar(live) && isSameQuantity(desired, live);
}

function isScalar(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** The server leaves out empty lists and an empty `value` (env), and null asks for nothing. `{}` and false do mean something. */
function isUnset(value: unknown, path: readonly string[]): boolean {
  if (value === "") return path.at(-1) === "value";
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function renderPath(path: readonly string[]): string {
  return path.join(".").replaceAll(".[", "[");
}
