// A projected volume as the kubelet writes it (pkg/volume/util/atomic_writer): the files in a folder of their own, `..data`
// a link to that folder, and for each name a link through `..data`. An update makes a new folder, swaps `..data` by a rename,
// and only then removes links and folder of the old one.
import { lstat, mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Makes the volume hold exactly `files`, by path `{name}/{key}`. */
export async function writeKubeletVolume(volume: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(volume, { recursive: true });
  const data = join(volume, "..data");
  const old = await readlink(data).catch(() => undefined);
  const fresh = await mkdtemp(join(volume, "..2026_11_21_10_00_00."));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(fresh, dirname(path)), { recursive: true });
    await writeFile(join(fresh, path), content);
  }
  await symlink(fresh.slice(volume.length + 1), join(volume, "..data_tmp"));
  await rename(join(volume, "..data_tmp"), data);
  const names = new Set(Object.keys(files).map((path) => path.split("/")[0] ?? ""));
  for (const name of names) {
    const isThere = await lstat(join(volume, name)).catch(() => undefined);
    if (isThere === undefined) await symlink(join("..data", name), join(volume, name));
  }
  if (old !== undefined) await rm(join(volume, old), { recursive: true });
}
