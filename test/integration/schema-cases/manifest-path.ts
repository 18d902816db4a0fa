// Plain values and places in them: spec.servers[0].name is ["spec", "servers", 0, "name"]. Every change makes a copy.

export type Path = readonly (string | number)[];
export type Json = { [key: string]: unknown };

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), root);

/** A copy with another value at a path; undefined removes what is there. */
export function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(root)) {
    const items: unknown[] = [...root];
    if (rest.length === 0 && value === undefined) items.splice(Number(head), 1);
    else items[Number(head)] = withValue(items[Number(head)], rest, value);
    return items;
  }
  const { [head]: before, ...others } = isJson(root) ? root : {};
  const after = withValue(before, rest, value);
  return after === undefined ? others : { ...(isJson(root) ? root : {}), [head]: after };
}

/** As the API server writes it. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
