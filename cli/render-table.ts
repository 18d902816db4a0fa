// Rows as lines whose columns are below each other: the first column to the left, the others to the right or all to the left.

/** @param rows the heads first; every row of as many cells */
export function renderTable(rows: readonly (readonly string[])[], side: "start" | "end" = "end"): string[] {
  const [heads = []] = rows;
  const widths = heads.map((_, column) => rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0));
  const fill = (cell: string, column: number): string =>
    column === 0 || side === "start" ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(fill).join("  "));
}
