// The value of a Secret's key as a request can carry it, or the sentence on what is wrong with it. Keeps nothing.
import type { SecretKey } from "../../crds/run-config.ts";

/** Reads a secret's current value; undefined when it is not there. */
export type ReadSecret = (secret: SecretKey) => Promise<string | undefined>;

export const renderMissingSecret = ({ name, key }: SecretKey) =>
  `Secret "${name}" has no readable key "${key}": create it in the agent's namespace`;

/** A secret is not mounted, or nothing that a request can carry. */
class SecretUnusable extends Error {
  override readonly name = "SecretUnusable";
}

/** Rejects with SecretUnusable. */
export async function readUsableSecret(secret: SecretKey, readSecret: ReadSecret): Promise<string> {
  const value = await readSecret(secret);
  if (value === undefined) throw new SecretUnusable(renderMissingSecret(secret));
  if (!/^[\x20-\x7e]+$/.test(value)) {
    const { name, key } = secret;
    throw new SecretUnusable(
      `Secret "${name}" key "${key}" is empty or holds characters that no header has: write it again`,
    );
  }
  return value;
}
