// Which representation a request gets by its Accept-Encoding (RFC 9110).

/** In the order of preference where a client likes them equally. */
export const encodings = ["br", "gzip", "identity"] as const;
export type Encoding = (typeof encodings)[number];

/** The encoding with the highest weight, ours first among equals; identity where nothing is acceptable. */
export function chooseEncoding(header: string | undefined): Encoding {
  if (header === undefined) return "identity";
  const weights = parseWeights(header);
  const rest = weights.get("*");
  const weightOf = (encoding: Encoding): number =>
    // Identity is always acceptable unless refused, but least wanted of what is.
    weights.get(encoding) ?? (encoding === "identity" ? (rest ?? 0.001) : (rest ?? 0));
  const [best] = encodings.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best === undefined || weightOf(best) === 0 ? "identity" : best;
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((word) => word.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = q === undefined ? 1 : Number(q);
    const encoding = name === "x-gzip" ? "gzip" : name;
    if (encoding !== "") weights.set(encoding, Number.isFinite(weight) ? Math.min(Math.max(weight, 0), 1) : 0);
  }
  return weights;
}
