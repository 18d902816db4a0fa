// Tokens as the GenAI conventions count them: what was read from or written to a cache is input too.
import type { TokenUsage } from "../model/types.ts";

export interface ConventionalUsage {
  input: number;
  output: number;
  cacheRead: number;
  /** Undefined where the provider tells none. */
  cacheWrite: number | undefined;
  reasoning: number | undefined;
}

export function renderConventionalUsage(usage: TokenUsage): ConventionalUsage {
  const { input = 0, output = 0, cache_read = 0, cache_hit = 0, cache_write: cacheWrite, reasoning } = usage;
  const cacheRead = cache_read + cache_hit;
  return { input: input + cacheRead + (cacheWrite ?? 0), output, cacheRead, cacheWrite, reasoning };
}
