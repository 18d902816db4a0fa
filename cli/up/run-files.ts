// Secrets, texts and live configurations as files. What has not changed is not touched, since processes watch these
// files; what no manifest provides any more is removed.
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunnableAgent } from "./desired.ts";
import type { RunnableServer } from "./desired-servers.ts";
import { expandObject, type Environment, type LocalObject } from "../manifests/local-objects.ts";
import type { StateFolder } from "./state-folder.ts";

/**
 * Writes `{secret}/{key}` and `{configMap}/{key}` of every namespace, and removes every other file there. A key that cannot
 * be filled in holds the placeholders that it lacks, which agents refuse (CFG-6).
 */
export async function applyObjectFiles(
  folder: StateFolder,
  objects: readonly LocalObject[],
  environment: Environment,
  /** Files of the run's own in these folders, by their paths. */
  own: ReadonlyMap<string, Buffer> = new Map(),
): Promise<void> {
  const wanted = new Map(own);
  for (const object of objects) {
    const root = object.kind === "Secret" ? folder.secrets(object.namespace) : folder.texts(object.namespace);
    const { values, unset } = expandObject(object, environment);
    for (const [key, value] of values) wanted.set(join(root, object.name, key), value);
    // The agent that reads it says then which variables are missing.
    for (const { key, variables } of unset) {
      wanted.set(join(root, object.name, key), Buffer.from(variables.map((name) => `\${${name}}`).join("")));
    }
  }
  for (const [path, contents] of wanted) await replaceIfChanged(folder, path, contents);
  for (const name of ["secrets", "texts"]) await removeOthers(join(folder.path, name), wanted);
}

/** What servers are given of texts with placeholders, below the Secrets of their namespaces. */
export const renderFilledFiles = (
  folder: Pick<StateFolder, "secrets">,
  servers: Iterable<Pick<RunnableServer, "server" | "filled">>,
): Map<string, Buffer> =>
  new Map(
    [...servers].flatMap(({ server, filled }) =>
      [...filled].map(([path, text]): [string, Buffer] => [
        join(folder.secrets(server.metadata.namespace), path),
        Buffer.from(text),
      ]),
    ),
  );

/** What agents read while they run; those that run need no new start for it. */
export async function applyLiveConfigs(
  folder: StateFolder,
  agents: Iterable<Pick<RunnableAgent, "key" | "liveConfig">>,
): Promise<void> {
  for (const { key, liveConfig } of agents) {
    await replaceIfChanged(folder, folder.liveConfig(key), Buffer.from(liveConfig));
  }
}

async function replaceIfChanged(folder: StateFolder, path: string, contents: Uint8Array): Promise<void> {
  const found = await readFile(path).catch(() => undefined);
  if (found?.equals(contents) !== true) await folder.replace(path, contents);
}

async function removeOthers(root: string, wanted: ReadonlyMap<string, unknown>): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !wanted.has(path)) await rm(path, { force: true });
  }
}

/** Secrets do not stay on the disk when nothing runs that reads them. */
export const removeSecrets = (folder: StateFolder): Promise<void> =>
  rm(join(folder.path, "secrets"), { recursive: true, force: true });
