// Reading metrics as Prometheus would: samples of a text page, sums over labels, and quantiles of histograms.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type LabelFilter = (labels: Readonly<Record<string, string>>) => boolean;

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const labelPattern = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Infinity is written +Inf. */
const parseNumber = (text: string): number => Number(text.replace(/^([+-]?)Inf$/, "$1Infinity"));

/** The samples of these metrics; lines of other metrics are passed over. */
export function parseMetrics(text: string, names: readonly string[]): Sample[] {
  const wanted = new Set(names);
  return text.split("\n").flatMap((line): Sample[] => {
    const [, name = "", labels = "", value = ""] = samplePattern.exec(line) ?? [];
    if (!wanted.has(name)) return [];
    const pairs = [...labels.matchAll(labelPattern)].map(([, key = "", text = ""]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: parseNumber(value) }];
  });
}

export function sumOf(samples: readonly Sample[], name: string, where: LabelFilter = () => true): number {
  return samples.reduce((sum, each) => (each.name === name && where(each.labels) ? sum + each.value : sum), 0);
}

/** Cumulative counts of a histogram by upper bound, added up over the series that were asked for. */
export type Buckets = ReadonlyMap<number, number>;

export function bucketsOf(samples: readonly Sample[], name: string, where: LabelFilter): Buckets {
  const counts = samples.filter((each) => each.name === `${name}_bucket` && where(each.labels));
  const buckets = new Map<number, number>();
  for (const { labels, value } of counts) {
    const bound = parseNumber(labels["le"] ?? "");
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  return buckets;
}

/** What was observed between two readings; linear inside a bucket, like Prometheus' histogram_quantile. NaN for nothing. */
export function quantileBetween(before: Buckets, after: Buckets, share: number): number {
  const counts = [...after]
    .map(([bound, count]) => ({ bound, count: count - (before.get(bound) ?? 0) }))
    .toSorted((a, b) => a.bound - b.bound);
  const rank = share * (counts.at(-1)?.count ?? 0);
  const at = counts.findIndex(({ count }) => count >= rank && count > 0);
  const bucket = counts[at];
  if (bucket === undefined) return Number.NaN;
  const below = counts[at - 1] ?? { bound: 0, count: 0 };
  if (bucket.bound === Infinity) return below.bound;
  return below.bound + ((bucket.bound - below.bound) * (rank - below.count)) / (bucket.count - below.count);
}
