// Where tests and benchmarks keep what takes long to make: below the user's cache folder, which may be deleted at any time.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** `$XDG_CACHE_HOME/pallas/…`, or below ~/.cache. */
export function cacheFolder(parts: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const named = env["XDG_CACHE_HOME"] ?? "";
  const cacheHome = isAbsolute(named) ? named : join(env["HOME"] ?? homedir(), ".cache"); // a relative one is to be ignored
  return join(cacheHome, "pallas", ...parts);
}
