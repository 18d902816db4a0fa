// What an agent may learn while it runs, from its mounted file as it is asked for: no watch, no timer. Where there is no
// such file, as with an operator that writes none, the run configuration says it once and for all.
import { readFile } from "node:fs/promises";
import { parseLiveConfig, type LiveConfig, type RunConfig } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import { isMissing } from "./mounted-files.ts";

/** The same object as long as it says the same. Never rejects. */
export type ReadLiveConfig = () => Promise<LiveConfig>;

/** What holds without a live configuration. */
export const renderInitial = ({ sessions, card }: RunConfig): LiveConfig => ({
  schema: 1,
  severalPods: !sessions,
  ...defined({ card }),
});

/** A file that cannot be read changes nothing: what it said last holds, and the log says so once. */
export function createLiveConfig(path: string, config: RunConfig, log: Logger): ReadLiveConfig {
  let last = renderInitial(config);
  let lastText: string | undefined;
  let hasProblems = false;
  return async () => {
    try {
      const text = await readFile(path, "utf8");
      if (text !== lastText) last = parseLiveConfig(text);
      lastText = text;
      hasProblems = false;
    } catch (error) {
      if (!hasProblems && !isMissing(error)) log.warn({ path, err: error }, "live configuration cannot be read");
      hasProblems = !isMissing(error);
    }
    return last;
  };
}
