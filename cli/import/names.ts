// Names of a project → names that Kubernetes takes. What cannot be spelt there is changed and told; what would make two
// things one is a problem.
import { pallasAgent } from "../../crds/agent.ts";
import { maxNameChars } from "../../crds/names.ts";

/** Letters without their marks, `-` for everything else; empty when nothing is left. */
export function toResourceName(name: string): string {
  const plain = name.replaceAll("ß", "ss").normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, maxNameChars)
    .replaceAll(/^[-0-9]+|-+$/g, "");
}

/** Why a name cannot be that of an agent; undefined when it can. */
export const agentNameProblem = (name: string): string | undefined =>
  pallasAgent.nameRules.find(({ holds }) => !holds(name))?.message;

/** Names of servers and what they became, in which the one of a project is found. */
export function toServerName(name: string): string {
  return name
    .replaceAll(/[^-a-zA-Z0-9_.]+/g, "-")
    .replaceAll(/_{2,}/g, "_")
    .replaceAll(/^[^a-zA-Z0-9]+/g, "")
    .slice(0, 63);
}

/** `argos`, `x-api-key` → `ARGOS_X_API_KEY`. */
export const toVariableName = (...parts: string[]): string =>
  parts
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]+/g, "_")
    .replace(/^(?=[0-9])/, "_");

/** Of `name`, `name-2`, `name-3` … the first that nothing has: two things may want one name. */
export function firstFree(name: string, separator: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let next = 2; isTaken(free); next += 1) free = `${name}${separator}${next}`;
  return free;
}
