// The token that callers from other machines need when agents listen beyond loopback: made once per set of manifests and
// kept, so that clients which have it go on; and the words in which people learn of it. It is in no log.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PallasInstance } from "../../crds/instance.ts";
import { isEveryAddress, isLoopback } from "./addresses.ts";
import { listedHosts } from "./programs.ts";
import type { StateFolder } from "./state-folder.ts";

export interface CallerToken {
  file: string;
  /** Only when it was made now: it is shown once. */
  made?: string;
}

/** @returns undefined where nobody else can call, or everybody is to */
export async function openCallerToken(
  folder: StateFolder,
  { host, isOpen }: { host: string; isOpen: boolean },
): Promise<CallerToken | undefined> {
  if (isLoopback(host) || isOpen) return undefined;
  const file = join(folder.path, "token");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept !== "") return { file };
  const made = randomBytes(32).toString("base64url");
  await folder.replace(file, made);
  return { file, made };
}

export interface Exposure {
  host: string;
  instances: readonly PallasInstance[];
  token: CallerToken | undefined;
}

/** Who can call now, and which Host is refused; nothing where only this machine can. */
export function describeExposure({ host, instances, token }: Exposure): string[] {
  if (isLoopback(host)) return [];
  const isOpen = token === undefined && instances.some(({ spec }) => spec.auth?.jwt === undefined);
  const who = isOpen ? "call agents, without a token" : "with a token call agents";
  const names = ["localhost", ...listedHosts(instances, host)].join(", ");
  const where = isEveryAddress(host) ? "every address of this machine" : host;
  const line =
    `listening on ${where}: anyone who reaches it can read the catalogue and ${who}, under the names ${names}; ` +
    "any other Host gets 403 (spec.externalUrl.host or spec.http.allowedHosts of the instance adds one)";
  if (token === undefined) return [line];
  const kept = `callers from other machines send Authorization: Bearer with the token in ${token.file}`;
  return [line, token.made === undefined ? kept : `${kept}, shown this once: ${token.made}`];
}
