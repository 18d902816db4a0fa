// Logistic regression by Newton's method, with a little ridge, for a few features and some thousand samples.

export interface Sample {
  readonly features: readonly number[];
  readonly isRight: boolean;
}

const ridge = 1e-3;
const maxSteps = 25;

/** The weight of each feature, and at the end the base that is added. */
export function fitLogistic(samples: readonly Sample[]): number[] {
  const rows = standardise(samples);
  const size = rows.scales.length + 1;
  const weights = Array.from({ length: size }, () => 0);
  for (let step = 0; step < maxSteps; step += 1) {
    const change = solve(...linearise(samples, rows.values, weights));
    weights.forEach((weight, at) => (weights[at] = weight - (change[at] ?? 0)));
    if (change.every((each) => Math.abs(each) < 1e-7)) break;
  }
  const unscaled = rows.scales.map((scale, at) => (weights[at] ?? 0) / scale);
  const shift = unscaled.reduce((sum, weight, at) => sum + weight * (rows.means[at] ?? 0), 0);
  return [...unscaled, (weights[size - 1] ?? 0) - shift];
}

/** Each feature less its mean, in standard deviations, and a 1 at the end. */
function standardise(samples: readonly Sample[]) {
  const width = samples[0]?.features.length ?? 0;
  const columns = Array.from({ length: width }, (_, at) => samples.map(({ features }) => features[at] ?? 0));
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  const scales = columns.map((column, at) => {
    const squares = column.reduce((sum, value) => sum + (value - (means[at] ?? 0)) ** 2, 0);
    return Math.sqrt(squares / column.length) + 1e-9;
  });
  const values = samples.map(({ features }) => [
    ...features.map((value, at) => (value - (means[at] ?? 0)) / (scales[at] ?? 1)),
    1,
  ]);
  return { means, scales, values };
}

/** Curvature and slope of the loss at these weights. */
function linearise(samples: readonly Sample[], rows: readonly number[][], weights: readonly number[]) {
  const size = weights.length;
  const curvature = Array.from({ length: size }, (_, at) =>
    Array.from({ length: size }, (__, other) => (at === other ? ridge * rows.length : 0)),
  );
  const slope = weights.map((weight) => weight * ridge * rows.length);
  for (const [at, row] of rows.entries()) {
    const logit = row.reduce((sum, value, column) => sum + value * (weights[column] ?? 0), 0);
    const probability = 1 / (1 + Math.exp(-logit));
    const error = probability - (samples[at]?.isRight === true ? 1 : 0);
    const bend = probability * (1 - probability);
    for (const [line, value] of row.entries()) {
      slope[line] = (slope[line] ?? 0) + error * value;
      const bends = curvature[line] ?? [];
      for (const [column, other] of row.entries()) bends[column] = (bends[column] ?? 0) + bend * value * other;
    }
  }
  return [curvature, slope] as const;
}

/** Gauss and Jordan, for a matrix that is symmetric and positive definite. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const lines = matrix.map((line, at) => [...line, right[at] ?? 0]);
  for (const [at, pivot] of lines.entries()) {
    const divisor = pivot[at] ?? 1;
    for (const [column, value] of pivot.entries()) pivot[column] = value / divisor;
    for (const [other, line] of lines.entries()) {
      const factor = line[at] ?? 0;
      if (other === at) continue;
      for (const [column, value] of pivot.entries()) line[column] = (line[column] ?? 0) - factor * value;
    }
  }
  return lines.map((line) => line.at(-1) ?? 0);
}
