// What the built programs load at start: not what is only needed when it is switched on.
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../build.ts";

/** The modules of OpenTelemetry, as esbuild names them; the interfaces alone, in their CommonJS form, are prom-client's. */
const modules = /node_modules\/@opentelemetry\/(?!api\/\S+\.cjs)/;

test(
  "MET-6 OpenTelemetry is in the bundle, and in no file that a program loads at start",
  { timeout: 120_000 },
  async () => {
    const outdir = await mkdtemp(join(tmpdir(), "pallas-bundle-"));
    try {
      const { built } = await build(outdir);
      const atStart = new Set(built.flatMap(({ files }) => files));
      const holding: string[] = [];
      for (const file of await readdir(outdir)) {
        if (!file.endsWith(".js")) continue;
        if (modules.test(await readFile(join(outdir, file), "utf8"))) holding.push(file);
      }
      expect(atStart).toContain("agent-runtime.js");
      expect(holding).not.toEqual([]);
      expect(holding.filter((file) => atStart.has(file))).toEqual([]);
    } finally {
      await rm(outdir, { recursive: true, force: true });
    }
  },
);
