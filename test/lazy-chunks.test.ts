// What the agent loads at start, and what only when it is first needed.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { build } from "../build.ts";

/** Of single providers, of all models, of downstream servers, of authentication. */
const latePackages = [
  ...["@ai-sdk/google", "@ai-sdk/amazon-bedrock", "@ai-sdk/anthropic", "ai"],
  ...["@modelcontextprotocol/client", "undici", "jose"],
];

it("CFG-2 the libraries of models and servers are in the bundle, and not in what the agent loads at start", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pallas-build-"));
  try {
    const { built } = await build(folder);
    const atStart = built.find(({ name }) => name === "agent-runtime")?.files ?? [];
    const packagesIn = async (files: string[]) => {
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
      // esbuild names each module before its code.
      return new Set(
        texts.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(nameOf)),
      );
    };
    const loaded = await packagesIn(atStart);
    const all = await packagesIn((await readdir(folder)).filter((file) => file.endsWith(".js")));
    expect(loaded).toContain("@modelcontextprotocol/server");
    for (const name of latePackages) {
      expect(all).toContain(name);
      expect(loaded).not.toContain(name);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);

const nameOf = ([, name = ""]: RegExpMatchArray) => name;
