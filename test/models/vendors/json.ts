// Reading a request that may be anything: each reader answers with an empty value where the body has another shape.

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const at = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** The first value that `find` gives, with the index it was given for. */
export function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item, index: number) => Found | undefined,
): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first of the values that occurs a second time. */
export function firstRepeated(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) < index);
}

/** Every string and key of a value, each with its key path. */
export function* stringsOf(
  value: unknown,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; text: string }> {
  if (typeof value === "string") {
    yield { path, text: value };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* stringsOf(item, [...path, `${index}`]);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield { path, text: key };
      yield* stringsOf(item, [...path, key]);
    }
  }
}
