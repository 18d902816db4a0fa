// Globs, in which `*` stands for any characters, none and line ends included, and all else for itself. Nothing is tried
// twice: the first place where a part fits leaves the most room for the next.

export interface Glob {
  readonly first: string;
  /** The parts between two stars, in their order. */
  readonly middle: readonly string[];
  /** Undefined where there is no star. */
  readonly last: string | undefined;
}

export function parseGlob(pattern: string): Glob {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  return { first, middle: rest.filter((part) => part !== ""), last };
}

/** Whether the whole text fits. Takes time in proportion to the text's length times the longest part's at worst. */
export function matchesGlob(text: string, { first, middle, last }: Glob): boolean {
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of middle) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
