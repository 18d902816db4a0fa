// The value of a Secret's key as a request can carry it, or the sentence on what is wrong with it, with the cure of where the
// agent runs. Keeps nothing.
import { renderUnfilled } from "../../crds/references.ts";
import type { SecretKey } from "../../crds/run-config.ts";
import type { MountedFiles } from "./mounted-files.ts";

/** Reads a secret's current value, ready for a header. Rejects with a sentence: SecretUnusable, or a disk's error. */
export type ReadSecret = (secret: SecretKey) => Promise<string>;

/** In a cluster, or on the machine of whoever wrote the manifests. */
export type Place = "cluster" | "local";

/** The `${NAME}` of a manifest for local mode: as it was applied to a cluster, or as nothing there could fill it in (CFG-6). */
const placeholder = /^(?:[A-Za-z]+ +)?(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/;

/** A secret is not there, or nothing that a request can carry. */
class SecretUnusable extends Error {
  override readonly name = "SecretUnusable";
}

const cures: Record<Place, string> = {
  cluster: "create it in the agent's namespace",
  local: "put the Secret beside the manifests, and what it is filled in from into .env or the environment",
};

export const createReadSecret =
  (files: MountedFiles, place: Place): ReadSecret =>
  async (secret) => {
    const value = (await files.read(secret))?.trim();
    const { name, key } = secret;
    if (value === undefined) throw new SecretUnusable(`Secret "${name}" has no readable key "${key}": ${cures[place]}`);
    if (placeholder.test(value)) throw new SecretUnusable(renderUnresolved(secret, value, place));
    if (!/^[\x20-\x7e]+$/.test(value)) {
      throw new SecretUnusable(
        `Secret "${name}" key "${key}" is empty or holds characters that no header has: write it again`,
      );
    }
    return value;
  };

function renderUnresolved({ name, key }: SecretKey, value: string, place: Place): string {
  if (place === "local") return renderUnfilled(name, key, value.match(/\w+(?=\})/g) ?? []);
  return `Secret "${name}" key "${key}" holds the placeholder ${value}, which only local mode fills in: write the value itself`;
}
