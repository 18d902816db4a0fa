// The key of an endpoint, in a file {secret}/{key} below the folder of secrets, read anew before each request: a rotated one needs
// no restart. It is never part of an error.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

const maxFileBytes = 64 * 1024;

/**
 * Reads the key from `dir`, without the line break that editors leave.
 * @throws Error with a sentence for people: what is wrong, and the cure.
 */
export async function readKeyFile(dir: string, { name, key }: { name: string; key: string }): Promise<string> {
  const path = join(dir, name, key);
  const where = `key "${key}" of Secret "${name}"`;
  // The kubelet swaps a link to the folder of the files: whoever was just looking into the old one finds the new one next.
  const text = await readBounded(path)
    .catch(() => readBounded(path))
    .catch(() => undefined);
  if (text === undefined) throw new Error(`the ${where} cannot be read; create it in the instance's namespace`);
  const value = text.trim();
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new Error(`the ${where} is empty or holds characters that no key has; write it again`);
  }
  return value;
}

async function readBounded(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > maxFileBytes) throw new Error(`expected at most ${maxFileBytes} bytes, found ${size}`);
  return await readFile(path, "utf8");
}
