// What the API server publishes of the built-in kinds and a comparison must know: which lists and maps are merged, so
// that parts of them may be somebody else's, which are one value, and which values it fills in or leaves out itself.
// Only fields that controllers write for others are here; a test compares them with the schemas of a real server.

/** A place in an object: the names of the fields that lead there, and `[3]` for an element of a list. */
export type Path = readonly string[];

/** Lists merged element by element (`listType: map` or `set`); every other list is one value. */
const mergedLists: ReadonlySet<string> = new Set([
  "claims",
  "containers",
  "env",
  "ephemeralContainers",
  "finalizers",
  "hostAliases",
  "imagePullSecrets",
  "initContainers",
  "ownerReferences",
  "ports",
  "resourceClaims",
  "schedulingGates",
  "secrets",
  "topologySpreadConstraints",
  "volumeDevices",
  "volumeMounts",
  "volumes",
]);

/** Merged lists of which each element is one value. */
const listsOfWholes: ReadonlySet<string> = new Set(["imagePullSecrets", "ownerReferences", "secrets"]);

/** Objects and maps that are one value (`mapType: atomic`). */
const wholeMaps: ReadonlySet<string> = new Set([
  "configMapKeyRef",
  "dataSource",
  "fieldRef",
  "labelSelector",
  "namespaceSelector",
  "nodeSelector",
  "podSelector",
  "preference",
  "resourceFieldRef",
  "roleRef",
  "secretKeyRef",
  "secretRef",
  "selector",
]);

/** Maps from labels to values, where an empty text is a value like any other. */
const labelMaps: ReadonlySet<string> = new Set(["matchLabels", "nodeSelector", "selector"]);

/** What the server fills in inside of lists and maps that are one value. Elsewhere it may add what it likes. */
const defaults: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["apiVersion", "v1"], // of a fieldRef
  ["expirationSeconds", 3600], // of a projected token
  ["protocol", "TCP"], // of a port in a NetworkPolicy
]);

const quantities: ReadonlySet<string> = new Set(["limits", "requests", "capacity"]);
const quantityFields: ReadonlySet<string> = new Set(["sizeLimit", "divisor"]);

export function isMergedList(path: Path): boolean {
  return mergedLists.has(path.at(-1) ?? "");
}

/** Whether what is at this place is one value, as seen from outside of it. */
export function isWhole(path: Path): boolean {
  const name = path.at(-1) ?? "";
  const list = path.at(-2) ?? "";
  return name.startsWith("[") ? listsOfWholes.has(list) || !mergedLists.has(list) : wholeMaps.has(name);
}

export function isServerDefault(path: Path, value: unknown): boolean {
  return value !== undefined && defaults.get(path.at(-1) ?? "") === value;
}

export function isQuantity(path: Path): boolean {
  return quantities.has(path.at(-2) ?? "") || quantityFields.has(path.at(-1) ?? "");
}

/** Whether the server leaves an empty text out at this place, `whole` when that is inside of one value. */
export function isEmptyTextOmitted(path: Path, whole: boolean): boolean {
  return whole ? !labelMaps.has(path.at(-2) ?? "") : path.at(-1) === "value" && path.at(-3) === "env";
}

/** Whether the server leaves out `{}` at this place; most often it means something, as in `emptyDir: {}`. */
export function isEmptyMapOmitted(path: Path): boolean {
  return path.at(-1) === "matchLabels";
}
