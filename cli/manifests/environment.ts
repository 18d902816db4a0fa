// The variables that placeholders and child processes see: those of this process, and those of `.env` files beside the
// manifests that are not set yet (CFG-6).
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Diagnostic } from "./diagnostic.ts";
import { reasonOf } from "./find-files.ts";

export interface LocalEnvironment {
  variables: Record<string, string | undefined>;
  diagnostics: Diagnostic[];
}

/** Existing variables win over `.env`, and a folder wins over those named after it. */
export async function readLocalEnvironment(
  folders: readonly string[],
  existing: Readonly<Record<string, string | undefined>>,
): Promise<LocalEnvironment> {
  const environment: LocalEnvironment = { variables: { ...existing }, diagnostics: [] };
  for (const folder of folders) {
    const file = join(folder, ".env");
    try {
      environment.variables = { ...parseEnv(await readFile(file, "utf8")), ...environment.variables };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === "ENOENT") continue;
      const message = `cannot be read (${reason}), so that its variables are not set; correct its permissions`;
      environment.diagnostics.push({ severity: "warning", file, message });
    }
  }
  return environment;
}
