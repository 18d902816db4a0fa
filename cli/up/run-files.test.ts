import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyLiveConfigs } from "./run-files.ts";
import { openStateFolder } from "./state-folder.ts";

test("CLI-1 what running agents read is replaced where it changed, and not touched where it did not", async () => {
  const path = await mkdtemp(join(tmpdir(), "pallas-run-files-"));
  try {
    const folder = await openStateFolder(path);
    const write = (a: string, b: string) =>
      applyLiveConfigs(folder, [
        { key: "default/a", liveConfig: a },
        { key: "default/b", liveConfig: b },
      ]);
    const inode = async (key: string) => (await stat(folder.liveConfig(key))).ino;
    await write("one", "one");
    const before = await inode("default/a");
    await write("one", "two");
    expect(await readFile(folder.liveConfig("default/b"), "utf8")).toBe("two");
    expect(await inode("default/a")).toBe(before);
  } finally {
    await rm(path, { recursive: true });
  }
});
