// The key as the kubelet mounts it, rotates it and takes it away.
import { mkdtemp, rm, truncate, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readKeyFile } from "./key-file.ts";

const secret = { name: "models", key: "api-key" };

async function openFolder(text: string | undefined) {
  const dir = await mkdtemp(join(tmpdir(), "pallas-key-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const path = join(dir, "models", "api-key");
  await mkdir(join(dir, "models"));
  if (text !== undefined) await writeFile(path, text);
  return { dir, path };
}

test("is read anew each time, without the line break that editors leave", async () => {
  const { dir, path } = await openFolder("old\n");
  expect(await readKeyFile(dir, secret)).toBe("old");
  await writeFile(path, "new");
  expect(await readKeyFile(dir, secret)).toBe("new");
  await rm(path);
  await expect(readKeyFile(dir, secret)).rejects.toThrow(
    'the key "api-key" of Secret "models" cannot be read; create it in the instance\'s namespace',
  );
});

test.each(["", " \n", "two\nlines", "two words", "ключ"])("%j, which is no key, is refused unquoted", async (text) => {
  const { dir } = await openFolder(text);
  const problem = readKeyFile(dir, secret);
  await expect(problem).rejects.toThrow("is empty or holds characters that no key has; write it again");
  await expect(problem).rejects.not.toThrow(/two|ключ/);
});

test("of the largest size is read, one byte more is refused", async () => {
  const { dir, path } = await openFolder("x".repeat(64 * 1024));
  expect(await readKeyFile(dir, secret)).toHaveLength(64 * 1024);
  await truncate(path, 64 * 1024 + 1);
  await expect(readKeyFile(dir, secret)).rejects.toThrow("cannot be read");
});
