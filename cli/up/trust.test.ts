import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/manifests.ts";
import { openStateFolder } from "./state-folder.ts";
import { readTrust, writeTrust } from "./trust.ts";

test("SEC-8 manifests may start programs once their user has said so of these folders, and of no others", async () => {
  const folder = await openStateFolder(await temporaryFolder());
  expect(await readTrust(folder.path, ["/a"])).toBe(false);
  await writeTrust(folder, ["/a", "/b"]);
  expect(await readTrust(folder.path, ["/a"])).toBe(true);
  expect(await readTrust(folder.path, ["/b", "/a"])).toBe(true);
  expect(await readTrust(folder.path, ["/a", "/c"])).toBe(false);
  await writeFile(join(folder.path, "trusted.json"), "true");
  expect(await readTrust(folder.path, ["/a"])).toBe(false);
});
