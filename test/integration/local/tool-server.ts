// The quickstart's tool server beside a test: without it the agents that use it are degraded.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { quickstart } from "./local.ts";

/** @returns ends it */
export function startToolServer(port: number): () => void {
  const child = spawn(process.execPath, [join(quickstart, "tool-server.ts")], {
    env: { ...process.env, TOOL_PORT: String(port) },
    stdio: "inherit",
  });
  return () => void child.kill();
}
