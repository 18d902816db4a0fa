// A base image without a registry, laid out like distroless: Node of the npm package that this project installs anyway,
// the four Debian packages whose libraries it loads, a user, /tmp. No shell and nothing else. Node brings its own
// certificates and time zones.
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { downloadPackages } from "./apt.ts";
import { runCommand } from "./run-command.ts";
import type { BasePart } from "./sbom.ts";

const libraries = ["libc6", "libstdc++6", "libgcc-s1"];
const timeoutMs = 30_000;

export const baseFiles: Readonly<Record<string, string>> = {
  "etc/passwd": "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n",
  "etc/group": "root:x:0:\nnonroot:x:65532:\n",
  "etc/nsswitch.conf": "hosts: files dns\n",
};

export interface BaseOptions {
  readonly root: string;
  /** Where the root file system goes. */
  readonly folder: string;
  /** For downloads. */
  readonly work: string;
}

export async function layOutBase({ root, folder, work }: BaseOptions): Promise<BasePart[]> {
  const parts = [await layOutNode(root, folder)];
  for (const file of await downloadLibraries(join(work, "packages"))) parts.push(await unpackDebian(file, folder));
  for (const [path, text] of Object.entries(baseFiles)) await writeInto(folder, path, text);
  // Scanners tell the release from it; the packages come from this machine's.
  await copyFile("/etc/os-release", join(folder, "etc/os-release"));
  await mkdir(join(folder, "tmp"));
  await chmod(join(folder, "tmp"), 0o1777);
  return parts;
}

async function layOutNode(root: string, folder: string): Promise<BasePart> {
  const name = `node-linux-${process.arch}`;
  const resolve = createRequire(join(root, "package.json")).resolve;
  const manifest = resolve(`${name}/package.json`);
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(manifest, "utf8")));
  await mkdir(join(folder, "nodejs/bin"), { recursive: true });
  await copyFile(join(dirname(manifest), "bin/node"), join(folder, "nodejs/bin/node"));
  await chmod(join(folder, "nodejs/bin/node"), 0o755);
  await writeInto(folder, "usr/share/doc/nodejs/LICENSE", await readFile(join(dirname(manifest), "LICENSE"), "utf8"));
  return { name: "node", version, purl: `pkg:generic/node@${version}`, license: "MIT" };
}

/** Paths of the downloaded .deb files, by name. */
async function downloadLibraries(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  await downloadPackages(libraries, folder);
  const listed = async () => (await readdir(folder)).toSorted().map((name) => join(folder, name));
  // gcc's runtime libraries leave their licences to a package of its version.
  const runtime = (await listed()).find((file) => file.includes("/libgcc-s1_")) ?? "";
  const depends = await runCommand("dpkg-deb", ["-f", runtime, "Depends"], { timeoutMs });
  await downloadPackages(/gcc-\d+-base/.exec(depends)?.slice(0, 1) ?? [], folder);
  return listed();
}

/** One package, as it is, with its entry for scanners. */
export async function unpackDebian(file: string, folder: string): Promise<BasePart> {
  await runCommand("dpkg-deb", ["-x", file, folder], { timeoutMs });
  const control = await runCommand("dpkg-deb", ["-f", file], { timeoutMs });
  const { Package: name = "", Version: version = "", Architecture: arch = "" } = parseControl(control);
  // Where scanners look for the packages of an image without a package manager.
  await writeInto(folder, `var/lib/dpkg/status.d/${name}`, control);
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}`;
  return { name, version, purl };
}

/** Fields of one line; continued lines are left out. */
export function parseControl(text: string): Partial<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^(\S+): (.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

async function writeInto(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}
