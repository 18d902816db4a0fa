// The one edit by hand that an apply cannot undo: the key of an element in a list merged by key, where the server also
// wants names to be unique. For server-side apply the edited port is somebody's port of our name, which stays, and the
// result with two of one name is refused. Finds such elements, and gives the JSON patch that makes them ours again.
import type { Path } from "./merge-rules.ts";

interface Operation {
  readonly op: "test" | "replace";
  readonly path: string;
  readonly value: unknown;
}

/** `ports` of Services and containers: known by number and protocol, and named. */
const listName = "ports";
const keys = ["port", "containerPort", "protocol"];

/** Bound to the version that `live` is. Undefined when no such key was edited. */
export function renderKeyPatch(
  desired: unknown,
  live: { readonly metadata: { readonly uid: string; readonly resourceVersion: string } },
): readonly Operation[] | undefined {
  const operations = [...restore(desired, live, [])];
  if (operations.length === 0) return undefined;
  const { uid, resourceVersion } = live.metadata;
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    ...operations,
  ];
}

function* restore(desired: unknown, live: unknown, path: Path): Generator<Operation> {
  if (Array.isArray(desired) && Array.isArray(live)) {
    for (const element of desired.filter(isNamed)) {
      const at = live.findIndex((candidate) => isNamed(candidate) && candidate.name === element.name);
      if (at < 0) continue;
      const place = [...path, String(at)];
      if (path.at(-1) === listName) yield* restoreKeys(element, live[at], place);
      else yield* restore(element, live[at], place);
    }
  } else if (isRecord(desired) && isRecord(live)) {
    for (const [name, member] of Object.entries(desired)) yield* restore(member, live[name], [...path, name]);
  }
}

function* restoreKeys(desired: Fields, live: Fields, path: Path): Generator<Operation> {
  for (const key of keys) {
    if (!(key in desired) || desired[key] === live[key]) continue;
    yield { op: "replace", path: renderPointer([...path, key]), value: desired[key] };
  }
}

function renderPointer(path: Path): string {
  return path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): value is Fields & { readonly name: string } {
  return isRecord(value) && typeof value["name"] === "string";
}
