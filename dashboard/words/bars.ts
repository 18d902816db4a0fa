// Words for small charts.
export const barWords = {
  calls: { one: "{n} call in 24 hours", other: "{n} calls in 24 hours" },
  failed: { one: "{n} failed", other: "{n} failed" },
} as const;
