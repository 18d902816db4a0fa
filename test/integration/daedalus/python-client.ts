// Daedalus on the Python SDK: runs test/python/daedalus.py under an environment's interpreter and reads what it prints.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseObservation, type Observation, type Visit } from "./observation.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "../../python/daedalus.py");
const timeoutMs = 60_000;
const maxOutputBytes = 16 * 1024 * 1024;

/** Makes the whole visit; `mode` is how the 2.x SDK negotiates. Throws with the program's own error when it fails. */
export async function observeWithPython(
  interpreter: string,
  mode: "legacy" | "auto",
  { registryUrl, agent, message, cancelMessage, cancelAt, stayUntil }: Visit,
): Promise<Observation> {
  const args = ["--mode", mode, `--message=${message}`, `--cancel-message=${cancelMessage}`, `--cancel-at=${cancelAt}`];
  const running = run(interpreter, [program, registryUrl, agent, ...args], {
    timeout: timeoutMs,
    maxBuffer: maxOutputBytes,
  });
  // A program that failed has closed it; its error is the one to show.
  running.child.stdin?.on("error", () => undefined);
  void stayUntil.then(() => running.child.stdin?.end());
  const { stdout } = await running;
  return parseObservation(JSON.parse(stdout));
}
