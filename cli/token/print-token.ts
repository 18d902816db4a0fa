// What `pallas token` does: it reads the token where the run on the same manifests keeps it, and prints that alone.
import { findManifestFiles } from "../manifests/find-files.ts";
import type { Terminal } from "../terminal.ts";
import { readRunToken } from "../up/run-token.ts";
import { stateFolderPath } from "../up/state-folder.ts";

interface Edges {
  terminal: Terminal;
  process: { env: Readonly<Record<string, string | undefined>> };
}

/**
 * @returns the exit code: 1 when no run has a token
 * @throws UsageError when a path is not there
 */
export async function printToken(paths: readonly [string, ...string[]], { terminal, process }: Edges): Promise<number> {
  const { folders } = await findManifestFiles(paths);
  const token = await readRunToken(stateFolderPath(folders, process.env));
  if (token === undefined) {
    terminal.complain(
      `pallas: no pallas up with a gateway runs on ${folders.join(", ")}; start it there, with spec.gateway in its PallasInstance`,
    );
    return 1;
  }
  terminal.print(token);
  return 0;
}
