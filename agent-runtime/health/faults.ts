// What keeps the agent from working at all (HLT-2, error): it is draining, its instruction is not there, the model's
// secrets cannot be read, or no history can be kept. Secrets of downstream servers only make those servers unreachable.
import type { RunConfig, SecretKey } from "../../crds/run-config.ts";
import { observeInstruction } from "../inputs/instruction.ts";
import type { MountedFiles } from "../inputs/mounted-files.ts";
import { renderMissingSecret } from "../tools/headers.ts";

export interface FaultSources {
  config: Pick<RunConfig, "instruction" | "models" | "providers">;
  texts: MountedFiles;
  secrets: MountedFiles;
  /** Why no history can be kept. */
  observeStoreFault: () => Promise<string | undefined>;
  isDraining: () => boolean;
}

/** Sentences, none when all is well. Asks nobody but the disk. Never rejects. */
export async function observeFaults(sources: FaultSources): Promise<string[]> {
  const { config, texts, secrets } = sources;
  const checks = await Promise.all([
    sources.observeStoreFault(),
    findFault(async () => void (await observeInstruction(config.instruction, texts))),
    ...listModelSecrets(config).map((secret) =>
      findFault(async () => {
        if ((await secrets.read(secret)) === undefined) throw new Error(renderMissingSecret(secret));
      }),
    ),
  ]);
  const draining = sources.isDraining() ? "Draining: the agent is shutting down" : undefined;
  return [draining, ...checks].filter((fault) => fault !== undefined);
}

async function findFault(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Those of the first model's provider: a fallback without its key is a fallback less, not an outage. */
function listModelSecrets(config: FaultSources["config"]): SecretKey[] {
  const provider = config.providers.find(({ name }) => name === config.models[0]?.provider);
  if (provider === undefined) return [];
  const ofHeaders = provider.headers.flatMap((header) => ("secret" in header ? [header.secret] : []));
  return provider.apiKey === undefined ? ofHeaders : [provider.apiKey, ...ofHeaders];
}
