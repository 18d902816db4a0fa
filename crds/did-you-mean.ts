// The nearest known word to a misspelt one, for messages that name the cure.

/** Number of single-letter edits between two words, up to `limit` + 1. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? limit + 1;
}

/** The known word within two edits (one for short words), or undefined. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const limit = word.length <= 3 ? 1 : 2;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    const found = distance(word.toLowerCase(), candidate.toLowerCase(), limit);
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

/** ` (did you mean "servers"?)`, or nothing. */
export function suggestion(word: string, known: Iterable<string>): string {
  const match = nearest(word, known);
  return match === undefined ? "" : ` (did you mean "${match}"?)`;
}
