// What the image of bridges has beside its program, so that published servers run in it: npm and npx, uv and uvx with a Python,
// git, which some servers call, tini, and a static busybox. That is the shell of scripts of packages, and starts the servers of other images.
// All are others' packages as they are published, pinned by digest, or of the machine's Debian.
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { downloadPackages } from "./apt.ts";
import { unpackDebian } from "./base.ts";
import { runCommand } from "./run-command.ts";
import { npmPin, uvPin } from "./runtime-pins.ts";
import type { BasePart } from "./sbom.ts";

export interface RuntimeOptions {
  readonly root: string;
  /** Where the files go, as they are below the image's root. */
  readonly folder: string;
  /** For downloads. */
  readonly work: string;
  /** Whether the base is made here: it has no /bin then. */
  readonly isLocalBase: boolean;
}

const timeoutMs = 300_000;
/** Of what Python says that it needs: in the base, or only for the package manager. */
const unneeded =
  /^(dpkg|tar|perl.*|libperl.*|install-info|mailcap|mime-support|readline-common|libgdbm.*|libselinux1|libacl1|libmd0|libzstd1|libc6|libgcc-s1|gcc-\d+-base)$/;
/** Git as far as it needs no network, which servers have only where they say so. */
const gitPackages = ["git", "libpcre2-8-0"];

export async function layOutRuntime({ root, folder, work, isLocalBase }: RuntimeOptions): Promise<BasePart[]> {
  await mkdir(folder, { recursive: true });
  const parts = [
    ...(await layOutDebian(folder, join(work, "runtime-packages"))),
    await layOutNpm(folder, join(work, "npm")),
    await layOutUv(folder, join(work, "uv")),
  ];
  await mergeUsr(folder);
  await layOutShell(root, folder);
  if (isLocalBase) await symlink("usr/bin", join(folder, "bin"));
  return parts;
}

async function layOutDebian(folder: string, work: string): Promise<BasePart[]> {
  const options = ["--recurse", "--important", "--no-recommends", "--no-suggests"];
  const text = await runCommand("apt-cache", ["depends", ...options, "python3"], { timeoutMs });
  const python = text.split("\n").filter((line) => /^[a-z0-9]/.test(line) && !unneeded.test(line));
  await mkdir(work, { recursive: true });
  await downloadPackages([...new Set([...python, ...gitPackages, "busybox-static", "tini"])].toSorted(), work);
  const parts: BasePart[] = [];
  for (const name of (await readdir(work)).toSorted()) parts.push(await unpackDebian(join(work, name), folder));
  // The static one is what starts the bridge.
  await rm(join(folder, "usr/bin/tini"));
  // Pages, tests and translations, which nobody reads there.
  for (const path of ["usr/share/man", "usr/share/locale", "usr/share/lintian", "usr/share/bash-completion"]) {
    await rm(join(folder, path), { recursive: true, force: true });
  }
  return parts;
}

async function layOutNpm(folder: string, work: string): Promise<BasePart> {
  const { version, integrity } = npmPin;
  await mkdir(work, { recursive: true });
  await runCommand("npm", ["pack", `npm@${version}`, "--silent"], { cwd: work, timeoutMs });
  const archive = join(work, `npm-${version}.tgz`);
  const digest = `sha512-${createHash("sha512")
    .update(await readFile(archive))
    .digest("base64")}`;
  if (digest !== integrity) throw new Error(`expected npm ${version} with ${integrity}, found ${digest}`);
  const target = join(folder, "usr/local/lib/node_modules/npm");
  await mkdir(target, { recursive: true });
  await runCommand("tar", ["-xzf", archive, "-C", target, "--strip-components=1"], { timeoutMs });
  await writeFile(join(target, "npmrc"), "update-notifier=false\nfund=false\naudit=false\n");
  await mkdir(join(folder, "usr/local/bin"), { recursive: true });
  for (const name of ["npm", "npx"]) {
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, "usr/local/bin", name));
  }
  return { name: "npm", version, purl: `pkg:npm/npm@${version}`, license: "Artistic-2.0" };
}

async function layOutUv(folder: string, work: string): Promise<BasePart> {
  const { version, hashes } = uvPin;
  await mkdir(work, { recursive: true });
  const pins = hashes.map((hash) => `--hash=${hash}`).join(" ");
  await writeFile(join(work, "requirements.txt"), `uv==${version} ${pins}\n`);
  const options = [
    "--no-deps",
    "--only-binary",
    ":all:",
    "--require-hashes",
    "-r",
    "requirements.txt",
    "--target",
    "unpacked",
  ];
  // Debian's own Python comes without pip.
  await runCommand("python3", ["-m", "venv", "venv"], { cwd: work, timeoutMs });
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  await runCommand(join(work, "venv/bin/python"), [...pip, ...options], { cwd: work, timeoutMs });
  const bin = join(folder, "usr/local/bin");
  await mkdir(bin, { recursive: true });
  for (const name of ["uv", "uvx"]) {
    await copyFile(join(work, "unpacked/bin", name), join(bin, name));
    await chmod(join(bin, name), 0o755);
  }
  // The Python that is here: another would have to be fetched from elsewhere than the index.
  await mkdir(join(folder, "etc/uv"), { recursive: true });
  await writeFile(join(folder, "etc/uv/uv.toml"), 'python-preference = "only-system"\n');
  return { name: "uv", version, purl: `pkg:pypi/uv@${version}`, license: "Apache-2.0" };
}

/** As in bases of today, where /bin and /lib are links: a folder of that name would not go over one. */
async function mergeUsr(folder: string): Promise<void> {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    if (!existsSync(join(folder, name))) continue;
    await cp(join(folder, name), join(folder, "usr", name), { recursive: true, verbatimSymlinks: true });
    await rm(join(folder, name), { recursive: true });
  }
}

async function layOutShell(root: string, folder: string): Promise<void> {
  const shared = join(folder, "usr/share/pallas");
  await mkdir(shared, { recursive: true });
  await copyFile(join(folder, "usr/bin/busybox"), join(shared, "busybox"));
  await chmod(join(shared, "busybox"), 0o755);
  await copyFile(join(root, "bridge/pipes/supervisor.sh"), join(shared, "supervisor.sh"));
  // What scripts of packages run in, and the first lines of programs ask for.
  for (const name of ["sh", "env"]) await symlink("busybox", join(folder, "usr/bin", name));
}
