// Prometheus' own tool, where it is installed.
import { spawnSync } from "node:child_process";

export const promtool = spawnSync("promtool", ["--version"]).status === 0;

/** What it says, when it is not content. */
export function runPromtool(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8", timeout: 60_000 });
  return status === 0 ? "" : `${stdout}${stderr}`;
}
