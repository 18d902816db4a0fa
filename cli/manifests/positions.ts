// Offsets in a text → lines and columns.

/** Counted from 1, as editors do. */
export interface Position {
  line: number;
  column: number;
}

export function createPositions(source: string): (offset: number) => Position {
  const starts = [0, ...[...source.matchAll(/\r\n|\n|\r/g)].map((found) => found.index + found[0].length)];
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
