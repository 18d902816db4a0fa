// Programs of ToolHive, built with Go from the module that is pinned in toolhive/ into the cache.
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../cache-folder.ts";
import { mebibyte } from "./process-usage.ts";

const run = promisify(execFile);
const moduleDir = join(import.meta.dirname, "toolhive");
const moduleName = "github.com/stacklok/toolhive";
const buildTimeoutMs = 1_800_000;

export interface BuiltPeer {
  readonly program: string;
  readonly version: string;
  /** Of the module's own files. */
  readonly sources: string;
}

/** Builds it into the cache, or says why not. */
export async function buildToolhive(
  command: "thv-operator" | "vmcp",
): Promise<BuiltPeer | { readonly missing: string }> {
  const options = { cwd: moduleDir, timeout: buildTimeoutMs, maxBuffer: 64 * mebibyte };
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off" };
  try {
    const go = (...args: string[]) => run("nice", ["-n", "10", "go", ...args], { ...options, env });
    const { stdout } = await go("list", "-m", "-f", "{{.Version}} {{.Dir}}", moduleName);
    const [version = "", sources = ""] = stdout.trim().split(" ");
    const dir = cacheFolder(["bench"]);
    await mkdir(dir, { recursive: true });
    const program = join(dir, `${command}-${version}`);
    await go("build", "-o", program, `${moduleName}/cmd/${command}`);
    return { program, version, sources };
  } catch (error) {
    return { missing: error instanceof Error ? error.message.slice(0, 300) : String(error) };
  }
}
