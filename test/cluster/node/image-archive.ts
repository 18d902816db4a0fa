// Makes a container image of one layer from a folder, with neither engine nor registry: a docker archive, which
// `ctr images import`, `docker load` and `kind load image-archive` read. Equal folders give equal bytes.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const tarTimeoutMs = 120_000;

export interface ImageArchive {
  /** With a tag other than `latest`, which would be pulled. */
  readonly reference: string;
  readonly rootDir: string;
  readonly archivePath: string;
  /** The image's configuration, for example Entrypoint and User (a number, for runAsNonRoot). */
  readonly config: Readonly<Record<string, unknown>>;
}

export async function writeImageArchive({ reference, rootDir, archivePath, config }: ImageArchive): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "pallas-image-"));
  try {
    await packFolder(rootDir, join(work, "layer.tar"), ["."]);
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(work, "layer.tar")), hash);
    const created = new Date(0).toISOString();
    const image = {
      architecture: process.arch === "x64" ? "amd64" : process.arch,
      os: "linux",
      created,
      config,
      rootfs: { type: "layers", diff_ids: [`sha256:${hash.digest("hex")}`] },
      history: [{ created }],
    };
    const manifest = [{ Config: "config.json", RepoTags: [reference], Layers: ["layer.tar"] }];
    await writeFile(join(work, "config.json"), JSON.stringify(image));
    await writeFile(join(work, "manifest.json"), JSON.stringify(manifest));
    await packFolder(work, archivePath, ["manifest.json", "config.json", "layer.tar"]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** An image that holds one static program and runs it as nobody in particular. */
export async function writeProgramArchive(
  image: Pick<ImageArchive, "reference" | "archivePath"> & { readonly program: string; readonly name: string },
): Promise<void> {
  const { reference, archivePath, program, name } = image;
  await mkdir(dirname(archivePath), { recursive: true });
  const rootDir = await mkdtemp(join(tmpdir(), "pallas-rootfs-"));
  try {
    await copyFile(program, join(rootDir, name));
    for (const path of [rootDir, join(rootDir, name)]) await chmod(path, 0o755);
    const config = { Entrypoint: [`/${name}`], User: "65532:65532" };
    await writeImageArchive({ reference, rootDir, archivePath, config });
  } finally {
    await rm(rootDir, { recursive: true, force: true });
  }
}

const packFolder = (dir: string, target: string, names: readonly string[]): Promise<unknown> =>
  run(
    "tar",
    [
      ...["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"],
      ...["-C", dir, "-cf", target, ...names],
    ],
    { timeout: tarTimeoutMs },
  );
