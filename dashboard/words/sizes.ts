// Sizes as people read them: "48 KB", "2.3 MB". Pure.
const units = ["B", "KB", "MB", "GB"] as const;

export function tellSize(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ""}`;
}
