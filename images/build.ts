// Makes the container images: options → bundle → a folder for each program → base → images → archives in images/out.
// Run `node images/build.ts`, or import buildImages(). Publishes nothing: the archives are what it leaves.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build as bundle } from "../build.ts";
import { readArchive, type Archive } from "./archive.ts";
import { layOutBase } from "./base.ts";
import { chooseBase } from "./choose-base.ts";
import { openEngine } from "./engine.ts";
import { parseOptions, type ImageOptions } from "./options.ts";
import { layOutProgram } from "./program-folder.ts";
import { layOutRuntime } from "./runtime.ts";
import { readInstalled } from "./sbom.ts";

const root = join(import.meta.dirname, "..");

/** Image, which is also its target in the Containerfile, and its program in dist/. */
const images: readonly (readonly [image: string, program: string])[] = [
  ["operator", "operator"],
  ["agent", "agent-runtime"],
  ["registry", "registry"],
  ["gateway", "gateway"],
  ["bridge", "bridge"],
];

export interface BuiltImage extends Archive {
  readonly name: string;
  readonly archive: string;
}

export async function buildImages(options: ImageOptions, say: (line: string) => void): Promise<BuiltImage[]> {
  const work = await mkdtemp(join(tmpdir(), "pallas-images-"));
  try {
    const context = join(work, "context");
    const { built } = await bundle(join(work, "dist"), { only: images.map(([, program]) => program), compact: true });
    const base = await chooseBase(options.base, say);
    await mkdir(join(context, "base"), { recursive: true });
    const parts = base === "local" ? await layOutBase({ root, folder: join(context, "base"), work }) : [];
    const runtime = await layOutRuntime({
      root,
      folder: join(context, "bridge-runtime"),
      work,
      isLocalBase: base === "local",
    });
    const installed = await readInstalled(root);
    for (const [image, name] of images) {
      const program = built.find((candidate) => candidate.name === name);
      if (program === undefined) throw new Error(`expected build.ts to know the program ${name}, found no such entry`);
      const folder = join(context, image);
      const others = image === "bridge" ? [...parts, ...runtime] : parts;
      await layOutProgram({
        root,
        dist: join(work, "dist"),
        folder,
        image,
        program,
        installed,
        parts: others,
        options,
      });
    }
    await using engine = await openEngine(work, say);
    await mkdir(options.out, { recursive: true });
    const archives: BuiltImage[] = [];
    for (const [image] of images) {
      const name = `${options.prefix}/${image}:${options.tag}`;
      const archive = join(options.out, `${image}.tar`);
      await rm(archive, { force: true });
      const containerfile = join(import.meta.dirname, "Containerfile");
      await engine.build({ containerfile, context, target: image, base, name, archive, options });
      archives.push({ name, archive, ...(await readArchive(archive)) });
    }
    return archives;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function renderTable(built: readonly BuiltImage[]): string {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`.padStart(10);
  const rows = built.map(({ name, archive, layers, packedBytes }) => {
    const whole = layers.reduce((sum, { bytes }) => sum + bytes, 0);
    const sizes = [layers.at(-1)?.bytes ?? 0, packedBytes, whole].map(megabytes).join(" ");
    return `${name.padEnd(28)} ${sizes}  ${archive}`;
  });
  const heads = ["our layer", "packed", "image"].map((head) => head.padStart(10)).join(" ");
  return `${["IMAGE".padEnd(28) + ` ${heads}  ARCHIVE`, ...rows].join("\n")}\n`;
}

if (import.meta.main) {
  // What is laid out here is read by another user there.
  process.umask(0o022);
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    const options = await parseOptions({ argv: process.argv.slice(2), env: process.env, root });
    process.stdout.write(renderTable(await buildImages(options, say)));
  } catch (error) {
    say(`images: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
