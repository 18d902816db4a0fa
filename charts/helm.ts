// Runs helm, away from the user's own settings, plugins and caches, so that it does the same on every machine.
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const timeoutMs = 60_000;
const maxOutputBytes = 64 * 1024 * 1024;

/** Resolves with standard output; rejects with standard error in the message. */
export type Helm = (args: readonly string[]) => Promise<string>;

export const createHelm =
  (path: string): Helm =>
  async (args) => {
    const home = join(tmpdir(), "pallas-helm");
    const env = { ...process.env, HELM_CONFIG_HOME: home, HELM_CACHE_HOME: home, HELM_DATA_HOME: home };
    try {
      return (await run(path, [...args], { env, timeout: timeoutMs, maxBuffer: maxOutputBytes })).stdout;
    } catch (cause) {
      const why = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
      throw new Error(`${path} ${args.join(" ")} failed: ${why || String(cause)}`, { cause });
    }
  };
