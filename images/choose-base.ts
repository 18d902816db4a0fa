// Which base the images get: what was asked for, else the Containerfile's where its registry answers in time, else one
// made on this machine. An asked-for base is never replaced by another.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const answerTimeoutMs = 5_000;

/** A reference, or `local`. */
export async function chooseBase(asked: string | undefined, say: (line: string) => void): Promise<string> {
  if (asked !== undefined) return asked;
  const preset = parsePreset(await readFile(join(import.meta.dirname, "Containerfile"), "utf8"));
  const problem = await findProblem(hostOf(preset));
  if (problem === undefined) return preset;
  say(
    `${hostOf(preset)} cannot be reached (${problem}): the base is made from packages of npm and Debian, as --base local does`,
  );
  return "local";
}

export function parsePreset(containerfile: string): string {
  const preset = /^ARG BASE=(\S+)$/m.exec(containerfile)?.[1];
  if (preset === undefined) throw new Error("expected a line `ARG BASE=reference` in images/Containerfile, found none");
  return preset;
}

/** As container engines read a reference: a first part without dot, colon or `localhost` is no host. */
export function hostOf(reference: string): string {
  const [first = "", ...rest] = reference.split("/");
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : "registry-1.docker.io";
}

/** Why nothing can be pulled there; a registry that wants a token answers 401. */
async function findProblem(host: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(`https://${host}/v2/`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    return status === 200 || status === 401 ? undefined : `it answered ${status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}
