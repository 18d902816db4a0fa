// The token of a run: made anew each time, and an admin's at every gateway of it. It is in a file for this user alone, beside
// the table of its hash that gateways read, and both go when the run ends. It is in no log.
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "../manifests/find-files.ts";
import { runTokens, type DesiredGateway } from "./desired-gateways.ts";

export const makeRunToken = (): string => randomBytes(32).toString("base64url");

/** Beside the secrets of the namespaces, whose folders begin with an underscore. */
const tokenPath = (stateFolder: string): string => join(stateFolder, "secrets", "run-token");

/** The files of a run with these gateways; none where there are none. */
export function renderTokenFiles(
  token: string,
  gateways: Iterable<DesiredGateway>,
  folder: { path: string; secrets(namespace: string): string },
): Map<string, Buffer> {
  const hash = createHash("sha256").update(token).digest("hex");
  const files = new Map<string, Buffer>();
  for (const { instance } of gateways) {
    const table = join(folder.secrets(instance.metadata.namespace), runTokens.name, runTokens.key);
    files.set(table, Buffer.from(`sha256:${hash}\n`));
    files.set(tokenPath(folder.path), Buffer.from(token));
  }
  return files;
}

/** Undefined when no run with a gateway keeps its state there. */
export async function readRunToken(stateFolder: string): Promise<string | undefined> {
  try {
    return await readFile(tokenPath(stateFolder), "utf8");
  } catch (error) {
    if (reasonOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
