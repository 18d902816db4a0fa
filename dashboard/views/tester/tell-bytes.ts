// Sizes as people read them: "84 bytes", "48 KB", "1.2 MB". Pure.
import { fill, plural } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";

export function tellBytes(bytes: number): string {
  if (bytes < 1_000) return plural(words.bytes, bytes);
  if (bytes < 1_000_000) return fill(words.kilobytes, { n: Math.round(bytes / 1_000) });
  return fill(words.megabytes, { n: (bytes / 1_000_000).toFixed(1) });
}
