// Texts without half characters: what is kept in a history goes to providers as UTF-8, and one lone surrogate in it is
// refused with the whole request, now and whenever the history is shown again.

/** The same value with every text in it well formed; the very same where they all are. */
export function toWellFormed<T>(value: T): T;
export function toWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => toWellFormed(item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value);
  const formed = pairs.map(([key, item]): [string, unknown] => [key.toWellFormed(), toWellFormed<unknown>(item)]);
  const asCame = formed.every(([key, item], index) => key === pairs[index]?.[0] && item === pairs[index]?.[1]);
  return asCame ? value : Object.fromEntries(formed);
}
