// The variables of `.env` files beside the manifests (CFG-6, SEC-8). They fill `${NAME}` in manifests; to processes go
// those on a short list alone, since others decide what a process loads, trusts and connects to, and a folder may be a
// stranger's. Refused is a `.env` that is no file of its folder.
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { readRegularFile } from "../read-bounded.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { reasonOf, UsageError } from "./find-files.ts";

export interface LocalEnvironment {
  /** What `${NAME}` stands for. */
  variables: Record<string, string | undefined>;
  /** What processes are started with. */
  forProcesses: Record<string, string | undefined>;
  diagnostics: Diagnostic[];
}

/** What `.env` may set for a process: who one is for Bedrock, which has no key to refer to, and how much is logged. */
const processVariables: ReadonlySet<string> = new Set([
  "AWS_REGION",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "PALLAS_LOG_LEVEL",
  "PALLAS_ROOT_LOG_LEVEL",
]);

/** Names that somebody may write into `.env` for their effect on a process: worth a word that they have none. */
const hasEffect = /^(?:(?:NODE|LD|DYLD|OTEL|OPENSSL|SSL|UV|PALLAS|AWS)_\w+|PATH|HOME|TZ|(?:https?|no|all)_proxy)$/i;

/** A single variable of a process has at most 128 KiB on Linux. */
export const maxEnvFileBytes = 64 * 1024;

/**
 * Existing variables win over `.env`, and a folder wins over those named after it.
 * @param folders absolute, without links
 * @throws UsageError for a `.env` that is no regular file, too large, or a link that leads out of its folder
 */
export async function readLocalEnvironment(
  folders: readonly string[],
  existing: Readonly<Record<string, string | undefined>>,
): Promise<LocalEnvironment> {
  const diagnostics: Diagnostic[] = [];
  let found: Record<string, string | undefined> = {};
  for (const folder of folders) {
    const file = join(folder, ".env");
    try {
      const variables = parseEnv(await readEnvFile(folder, file));
      diagnostics.push(...tellOfOthers(file, Object.keys(variables)));
      found = { ...variables, ...found };
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const reason = reasonOf(error);
      if (reason === "ENOENT") continue;
      const message = `cannot be read (${reason}), so that its variables are not set; correct its permissions`;
      diagnostics.push({ severity: "warning", file, message });
    }
  }
  const listed = Object.entries(found).filter(([name]) => processVariables.has(name));
  return {
    variables: { ...found, ...existing },
    forProcesses: { ...Object.fromEntries(listed), ...existing },
    diagnostics,
  };
}

async function readEnvFile(folder: string, file: string): Promise<string> {
  const target = await realpath(file);
  if (!target.startsWith(join(folder, "/"))) {
    throw new UsageError(`${file}: is a link to ${target}, out of its folder; copy that file here if it is meant`);
  }
  const found = await readRegularFile(target, maxEnvFileBytes);
  if (found.kind === "file") return found.bytes.toString("utf8");
  const wrong =
    found.kind === "not a file"
      ? "is not a regular file; replace it by a text file with lines NAME=value, or remove it"
      : `has more than ${maxEnvFileBytes} bytes; keep lines NAME=value in it alone`;
  throw new UsageError(`${file}: ${wrong}`);
}

function tellOfOthers(file: string, names: readonly string[]): Diagnostic[] {
  const others = names.filter((name) => hasEffect.test(name) && !processVariables.has(name));
  if (others.length === 0) return [];
  const listed = [...processVariables].join(", ");
  const message = `${others.join(", ")}: not set for processes; .env fills in \${NAME} of manifests and sets ${listed}; export others in the shell`;
  return [{ severity: "warning", file, message }];
}
