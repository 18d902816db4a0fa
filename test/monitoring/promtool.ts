// Prometheus' own tool; `needs("promtool")` says whether it is there.
import { spawnSync } from "node:child_process";

/** What it says, when it is not content. */
export function runPromtool(args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8", timeout: 60_000 });
  return status === 0 ? "" : `${stdout}${stderr}ended with ${status}`;
}
