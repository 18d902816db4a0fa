// Arguments that a person wants to be others: given as JSON, or edited in their editor in a file that only they can read.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { ChatError } from "../chat/chat-error.ts";
import { reasonOf, UsageError } from "../manifests/find-files.ts";
import { readRegularFile } from "../read-bounded.ts";
import { visibleJson } from "./visible-text.ts";

/** As many bytes as a call's arguments may have. */
const maxBytes = 256 * 1024;

/** @throws UsageError for what is no JSON object */
export function parseArguments(text: string, source: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${source}: expected a JSON object, found none (${reasonOf(error)})`, { cause: error });
  }
  if (isJsonObject(value)) return value;
  throw new UsageError(`${source}: expected a JSON object, found ${JSON.stringify(value).slice(0, 40)}`);
}

/**
 * The arguments as the person left them; undefined where nothing was changed. What is hidden in them is shown as JSON escapes.
 * @throws ChatError when the editor fails, UsageError when what it leaves is no JSON object
 */
export async function editArguments(
  args: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, unknown> | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-arguments-"));
  const file = join(folder, "arguments.json");
  const before = `${visibleJson(args)}\n`;
  try {
    await writeFile(file, before, { mode: 0o600 });
    await runEditor(env["VISUAL"] || env["EDITOR"] || "vi", file);
    const read = await readRegularFile(file, maxBytes);
    if (!("bytes" in read)) throw new UsageError(`what was edited has more than ${maxBytes} bytes; make it shorter`);
    const after = read.bytes.toString("utf8");
    return after.trim() === before.trim() ? undefined : parseArguments(after, "what was edited");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As git starts it: the variable may have options in it. */
async function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new ChatError(`the editor "${editor}" ended with ${code}; nothing was decided`);
}
