import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../testing/manifests.ts";
import { maxImageBytes, readImage } from "./images.ts";

async function fileOf(bytes: Buffer): Promise<string> {
  const path = join(await temporaryFolder(), "picture.txt");
  await writeFile(path, bytes);
  return path;
}

describe("CLI-4 images by path", () => {
  test.each([
    ["image/png", "89504e470d0a1a0a00"],
    ["image/jpeg", "ffd8ffe000"],
    ["image/gif", "474946383961"],
    ["image/webp", "52494646000000005745425056"],
  ])("a %s is known by its first bytes", async (mime_type, hex) => {
    const bytes = Buffer.from(hex, "hex");
    expect(await readImage(await fileOf(bytes))).toEqual({ data: bytes.toString("base64"), mime_type });
  });

  test("something else, nothing, a folder, a FIFO and a file that is not there are refused by name", async () => {
    await expect(readImage(await fileOf(Buffer.from("RIFF0000WAVE")))).rejects.toThrow("found something else");
    await expect(readImage(await fileOf(Buffer.alloc(0)))).rejects.toThrow("found something else");
    await expect(readImage(await temporaryFolder())).rejects.toThrow("found something else");
    const fifo = join(await temporaryFolder(), "fifo.png");
    execFileSync("mkfifo", [fifo]);
    await expect(readImage(fifo)).rejects.toThrow("found something else");
    await expect(readImage("/nowhere.png")).rejects.toThrow("image /nowhere.png: cannot be read (ENOENT)");
  });

  test("the largest that agents take is sent, one byte more is refused", async () => {
    const bytes = Buffer.alloc(maxImageBytes + 1);
    Buffer.from("89504e470d0a1a0a", "hex").copy(bytes);
    expect(await readImage(await fileOf(bytes.subarray(0, maxImageBytes)))).toMatchObject({ mime_type: "image/png" });
    await expect(readImage(await fileOf(bytes))).rejects.toThrow(`has ${maxImageBytes + 1} bytes`);
  });
});
