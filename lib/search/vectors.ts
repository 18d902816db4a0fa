// Vectors of length 1 in one byte a number, one row a tool, and their cosine with a query.

export interface Rows {
  readonly width: number;
  readonly numbers: Int8Array;
  /** What one step of a row's numbers stands for; 0 for a row without a vector. */
  readonly scales: Float32Array;
}

export function createRows(count: number, width: number): Rows {
  return { width, numbers: new Int8Array(count * width), scales: new Float32Array(count) };
}

/** Writes a vector into a row, brought to length 1. One of other than finite numbers, or of zeros, is left out. */
export function setRow(rows: Rows, row: number, vector: Float32Array): void {
  let squares = 0;
  let largest = 0;
  for (const number of vector) {
    squares += number * number;
    largest = Math.max(largest, Math.abs(number));
  }
  if (vector.length !== rows.width || !(squares > 0) || !Number.isFinite(squares)) return;
  const start = row * rows.width;
  for (let at = 0; at < vector.length; at += 1) {
    rows.numbers[start + at] = Math.round(((vector[at] ?? 0) / largest) * 127);
  }
  rows.scales[row] = largest / 127 / Math.sqrt(squares);
}

/** The cosine of a row and the query (row 0 of `query`), −1 to 1; 0 for a row without a vector. */
export function cosine(rows: Rows, row: number, query: Rows): number {
  const scale = (rows.scales[row] ?? 0) * (query.scales[0] ?? 0);
  if (scale === 0) return 0;
  const { numbers, width } = rows;
  const wanted = query.numbers;
  let at = row * width;
  let sum = 0;
  for (let column = 0; column < width; column += 1, at += 1) {
    sum = (sum + Math.imul(numbers[at] ?? 0, wanted[column] ?? 0)) | 0;
  }
  return sum * scale;
}
