// What keeps the agent from working at all (HLT-2, error): it is draining, its instruction is not there, the model's
// secrets cannot be read, or no history can be kept. Secrets of downstream servers only make those servers unreachable.
// A disk that does not answer is a problem like any other.
import type { RunConfig, SecretKey } from "../../crds/run-config.ts";
import { settledWithin, type Clock } from "../../lib/process/clock.ts";
import type { ReadSecret } from "../inputs/secrets.ts";

/** Volumes over a network can hang for ever. */
const diskTimeoutMs = 2_000;

export interface ProblemSources {
  config: Pick<RunConfig, "models" | "providers">;
  /** Rejects with a sentence when it is not there. */
  readInstruction: () => Promise<string>;
  readSecret: ReadSecret;
  /** Why no history can be kept. */
  observeStoreProblem: () => Promise<string | undefined>;
  isDraining: () => boolean;
  clock: Clock;
}

/** Sentences, none when all is well. Asks nobody but the disk, for two seconds at most. Never rejects. */
export async function observeProblems(sources: ProblemSources): Promise<string[]> {
  const { config, readInstruction, readSecret, clock } = sources;
  const checks = await Promise.all([
    inTime(sources.observeStoreProblem(), "the session store", clock),
    inTime(findProblem(readInstruction), "the instruction", clock),
    ...listModelSecrets(config).map((secret) =>
      inTime(
        findProblem(() => readSecret(secret)),
        `Secret "${secret.name}"`,
        clock,
      ),
    ),
  ]);
  const draining = sources.isDraining() ? "Draining: the agent is shutting down" : undefined;
  return [draining, ...checks].filter((problem) => problem !== undefined);
}

async function inTime(check: Promise<string | undefined>, what: string, clock: Clock): Promise<string | undefined> {
  if (await settledWithin(check, diskTimeoutMs, clock)) return check;
  return `the disk of ${what} gives no answer within ${diskTimeoutMs / 1_000} s: look at the volume and its node`;
}

async function findProblem(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Those of the first model's provider: a fallback without its key is a fallback less, not an outage. */
function listModelSecrets(config: ProblemSources["config"]): SecretKey[] {
  const provider = config.providers.find(({ name }) => name === config.models[0]?.provider);
  if (provider === undefined) return [];
  const ofHeaders = provider.headers.flatMap((header) => ("secret" in header ? [header.secret] : []));
  const { apiKey, oauth } = provider;
  return [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...(oauth === undefined ? [] : [oauth.clientSecret]),
    ...ofHeaders,
  ];
}
