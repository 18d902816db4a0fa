import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readArchive } from "./archive.ts";
import { runCommand } from "./run-command.ts";

it("gives the layers in their order, with digest and size, and what the last one takes packed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pallas-archive-test-"));
  try {
    await writeFile(join(folder, "one.tar"), "");
    await writeFile(join(folder, "two.tar"), "x".repeat(10_000));
    await writeFile(join(folder, "manifest.json"), JSON.stringify([{ Layers: ["one.tar", "two.tar"] }]));
    await runCommand("tar", ["-cf", "image.tar", "manifest.json", "one.tar", "two.tar"], {
      cwd: folder,
      timeoutMs: 5_000,
    });
    const { layers, packedBytes } = await readArchive(join(folder, "image.tar"));
    const ofNothing = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    expect(layers.map(({ bytes }) => bytes)).toEqual([0, 10_000]);
    expect(layers[0]?.digest).toBe(ofNothing);
    expect(packedBytes).toBeGreaterThan(0);
    expect(packedBytes).toBeLessThan(200);
  } finally {
    await rm(folder, { recursive: true });
  }
});
