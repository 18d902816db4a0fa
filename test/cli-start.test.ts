// What `pallas` loads before it knows what is asked of it: `--help`, and completion at a prompt, must be there at once.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../build.ts";

const mostBytes = 300_000;

test(
  "CLI-1 every command of the command line loads what it needs when it is called",
  { timeout: 120_000 },
  async () => {
    const outdir = await mkdtemp(join(tmpdir(), "pallas-build-"));
    try {
      const cli = (await build(outdir)).built.find(({ name }) => name === "cli");
      expect(cli?.sizeBytes).toBeLessThan(mostBytes);
      // And it is all there, later.
      expect(cli?.packages).toEqual(expect.arrayContaining(["node_modules/js-yaml", "node_modules/marked"]));
    } finally {
      await rm(outdir, { recursive: true, force: true });
    }
  },
);
