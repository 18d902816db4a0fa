// Which of many names are shown to be chosen from: those chosen first, then what the words find, at most so many. Pure.
export interface Option {
  readonly name: string;
  /** Undefined: it is chosen, and not among what there is. */
  readonly about: string | undefined;
}

export const maxOptions = 40;

export function pickNames(options: readonly Option[], chosen: readonly string[], query: string) {
  const known = new Map(options.map((option) => [option.name, option]));
  const first = chosen.map((name): Option => known.get(name) ?? { name, about: undefined });
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options.filter(({ name, about }) => {
    const text = `${name}\n${about ?? ""}`.toLowerCase();
    return !chosen.includes(name) && words.every((word) => text.includes(word));
  });
  return { shown: [...first, ...found.slice(0, maxOptions)], more: Math.max(0, found.length - maxOptions) };
}
