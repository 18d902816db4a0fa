// Whether a live object still holds everything that a desired one asks for. What the server or others added is left
// alone where server-side apply leaves it too: fields of objects, entries of maps, elements of lists merged by key. What
// is one value for the server (merge-rules.ts) must be equal, so that one apply restores it after any edit.
import {
  isEmptyMapOmitted,
  isEmptyTextOmitted,
  isMergedList,
  isQuantity,
  isServerDefault,
  isWhole,
  type Path,
} from "./merge-rules.ts";
import { isSameQuantity } from "./quantity.ts";

export interface Difference {
  /** Such as `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly live: unknown;
}

interface Place {
  readonly path: Path;
  /** Inside of one value, where nothing is anybody else's. */
  readonly whole: boolean;
}

/** More are not collected: one is enough to act, the rest is for the log. */
const maxDifferences = 20;

/** The places where `live` does not hold what `desired` asks for; empty when nothing needs to be written. */
export function differences(desired: unknown, live: unknown): Difference[] {
  const found: Difference[] = [];
  compare(desired, live, { path: [], whole: false }, found);
  return found;
}

function compare(desired: unknown, live: unknown, at: Place, found: Difference[]): void {
  if (found.length >= maxDifferences) return;
  if (isOmitted(desired, at)) {
    if (asksForNothing(desired, at) || isOmitted(live, at) || isServerDefault(at.path, live)) return;
    found.push({ path: renderPath(at.path), live });
  } else if (Array.isArray(desired) && Array.isArray(live)) {
    compareLists(desired, live, at, found);
  } else if (isRecord(desired) && isRecord(live)) {
    const names = at.whole ? new Set([...Object.keys(desired), ...Object.keys(live)]) : Object.keys(desired);
    for (const name of names) compare(desired[name], live[name], within(at, name), found);
  } else if (!isSameScalar(desired, live, at)) {
    found.push({ path: renderPath(at.path), live });
  }
}

function compareLists(desired: readonly unknown[], live: readonly unknown[], at: Place, found: Difference[]): void {
  if (at.whole || !isMergedList(at.path)) {
    if (desired.length !== live.length) found.push({ path: renderPath(at.path), live });
    else desired.forEach((element, i) => compare(element, live[i], within(at, `[${i}]`), found));
    return;
  }
  // Order counts (env, initContainers), foreign elements between ours do not.
  let from = 0;
  for (const [i, element] of desired.entries()) {
    const place = within(at, `[${i}]`);
    const match = live.findIndex((candidate, j) => j >= from && holds(element, candidate, place));
    if (match < 0) explain(element, live, place, found);
    else from = match + 1;
  }
}

/** Why no element of `live` will do: what differs in the one of the same name, or that there is none in this place. */
function explain(element: unknown, live: readonly unknown[], at: Place, found: Difference[]): void {
  const name = isRecord(element) ? element["name"] : undefined;
  const namesake = live.find((candidate) => name !== undefined && isRecord(candidate) && candidate["name"] === name);
  const before = found.length;
  if (namesake !== undefined) compare(element, namesake, at, found);
  if (found.length === before) found.push({ path: renderPath(at.path), live });
}

function holds(desired: unknown, live: unknown, at: Place): boolean {
  const found: Difference[] = [];
  compare(desired, live, at, found);
  return found.length === 0;
}

function within(at: Place, name: string): Place {
  const path = [...at.path, name];
  return { path, whole: at.whole || isWhole(path) };
}

/** What the server does not store, so that it and nothing are the same. `{}` and false mostly do mean something. */
function isOmitted(value: unknown, at: Place): boolean {
  if (value === undefined || value === null) return true;
  if (value === "") return isEmptyTextOmitted(at.path, at.whole);
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0 && isEmptyMapOmitted(at.path);
}

/** Where nothing is desired others may have something; that we had it once is seen by the hash of the whole. */
function asksForNothing(desired: unknown, at: Place): boolean {
  if (at.whole) return false;
  return desired === undefined || desired === null || (Array.isArray(desired) && isMergedList(at.path));
}

function isSameScalar(desired: unknown, live: unknown, at: Place): boolean {
  if (desired === live) return true;
  return isQuantity(at.path) && isScalar(desired) && isScalar(live) && isSameQuantity(desired, live);
}

function isScalar(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function renderPath(path: Path): string {
  return path.join(".").replaceAll(".[", "[");
}
