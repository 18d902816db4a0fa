// Reads a docker-archive: which layers it has, their digests and sizes, and what the last one takes packed.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { z } from "zod";
import { runCommand } from "./run-command.ts";

const manifestSchema = z.tuple([z.object({ Layers: z.array(z.string()).min(1) })]);
const timeoutMs = 60_000;

export interface Layer {
  /** Of its bytes as they lie, `sha256:` and hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
}

export interface Archive {
  /** The base's first; the last one is ours. */
  readonly layers: readonly Layer[];
  /** Of the last one, as a registry would hold it and a node would fetch it, about: gzip's usual level. */
  readonly packedBytes: number;
}

export async function readArchive(archive: string): Promise<Archive> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-archive-"));
  try {
    await runCommand("tar", ["-xf", archive, "-C", folder], { timeoutMs });
    const manifest = await readFile(join(folder, "manifest.json"), "utf8");
    const [{ Layers }] = manifestSchema.parse(JSON.parse(manifest));
    const files = Layers.map((name) => join(folder, name));
    return { layers: await Promise.all(files.map(measure)), packedBytes: await pack(files.at(-1) ?? "") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(path: string): Promise<Layer> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { digest: `sha256:${hash.digest("hex")}`, bytes: (await stat(path)).size };
}

async function pack(path: string): Promise<number> {
  let bytes = 0;
  await pipeline(createReadStream(path), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) bytes += chunk.length;
  });
  return bytes;
}
