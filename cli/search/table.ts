// Rows as lines whose columns are below each other: the first column to the left, the others to the right.

/** @param rows the heads first; every row of as many cells */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const [heads = []] = rows;
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
