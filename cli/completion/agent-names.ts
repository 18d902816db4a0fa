// Names of the agents in manifests, for completion: what can be read quickly, and nothing where something is wrong.
import { findManifestFiles } from "../manifests/find-files.ts";
import { readManifests } from "../manifests/read-manifests.ts";

/** More files than this take longer than a person at a prompt waits. */
const maxFiles = 200;

export async function readAgentNames(folders: readonly [string, ...string[]]): Promise<string[]> {
  try {
    const found = await findManifestFiles(folders);
    const { sources } = await readManifests({ ...found, files: found.files.slice(0, maxFiles) });
    const keys = [...sources.keys()].flatMap((id) => /^PallasAgent [^/]*\/(.*)$/.exec(id)?.[1] ?? []);
    // A name goes to the shell as a word of its own.
    return [...new Set(keys)].filter((name) => /^[a-z0-9-]+$/.test(name)).toSorted();
  } catch {
    return []; // a prompt is no place for problems; the command itself will name them
  }
}
