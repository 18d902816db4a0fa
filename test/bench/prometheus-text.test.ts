import { expect, it } from "vitest";
import { bucketsOf, parseMetrics, quantileBetween, sumOf, type Buckets } from "./prometheus-text.ts";

const page = `
# HELP queue_seconds how long
# TYPE queue_seconds histogram
queue_seconds_bucket{name="agent",le="0.1"} 5
queue_seconds_bucket{name="agent",le="1"} 9
queue_seconds_bucket{name="agent",le="+Inf"} 10
queue_seconds_bucket{name="other",le="0.1"} 100
queue_seconds_bucket{name="other",le="1"} 100
queue_seconds_bucket{name="other",le="+Inf"} 100
queue_seconds_sum 3.5
requests_total{method="GET",path="/a\\"b},c"} 7
requests_total{method="POST",path=""} 1e3
requests_total_extra 9
longest +Inf
`;

it("reads the samples of the asked metrics, and of no other whose name begins alike", () => {
  expect(parseMetrics(page, ["requests_total", "longest"])).toEqual([
    { name: "requests_total", labels: { method: "GET", path: '/a\\"b},c' }, value: 7 },
    { name: "requests_total", labels: { method: "POST", path: "" }, value: 1_000 },
    { name: "longest", labels: {}, value: Infinity },
  ]);
});

it("adds up what the filter lets through", () => {
  const samples = parseMetrics(page, ["requests_total", "longest"]);
  expect(sumOf(samples, "requests_total")).toBe(1_007);
  expect(sumOf(samples, "requests_total", ({ method }) => method === "POST")).toBe(1_000);
  expect(sumOf(samples, "absent")).toBe(0);
});

it("takes a histogram's buckets from the series that are meant, added up where they are several", () => {
  const samples = parseMetrics(page, ["queue_seconds_bucket"]);
  const one = bucketsOf(samples, "queue_seconds", ({ name }) => name === "agent");
  expect([...one]).toEqual([
    [0.1, 5],
    [1, 9],
    [Infinity, 10],
  ]);
  const both = bucketsOf(samples, "queue_seconds", () => true);
  expect([...both.values()]).toEqual([105, 109, 110]);
});

const none: Buckets = new Map();
const buckets = (...counts: number[]): Buckets =>
  new Map([0.1, 1, 10, Infinity].map((bound, at) => [bound, counts[at] ?? 0]));

it.each([
  ["in the middle of the first bucket", 0.25, 0.05],
  ["at the end of a bucket", 0.5, 0.1],
  ["in the middle of a bucket", 0.7, 0.55],
  ["past an empty bucket", 0.95, 5.5],
])("gives quantiles as histogram_quantile does: %s", (_where, share, expected) => {
  expect(quantileBetween(none, buckets(50, 90, 100, 100), share)).toBeCloseTo(expected, 10);
});

it("looks at what came between two readings only", () => {
  expect(quantileBetween(buckets(1_000, 1_000, 1_000, 1_000), buckets(1_000, 1_010, 1_010, 1_010), 0.5)).toBeCloseTo(
    0.55,
  );
});

it("says the highest bound for what lies above all of them, and NaN for nothing", () => {
  expect(quantileBetween(none, buckets(0, 0, 0, 4), 0.99)).toBe(10);
  expect(quantileBetween(buckets(3, 3, 3, 3), buckets(3, 3, 3, 3), 0.99)).toBeNaN();
});
