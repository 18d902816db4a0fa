// Lays out the folder of one program as it will be /app in its image: the files that it can load, the licences of
// everybody whose code is in them, and the bill of materials.
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BuiltProgram } from "../build.ts";
import { readPackage, renderLicences } from "./licences.ts";
import type { ImageOptions } from "./options.ts";
import { renderBill, type BasePart, type InstalledPackages } from "./sbom.ts";

export interface ProgramFolderOptions {
  readonly root: string;
  /** Where the bundle is. */
  readonly dist: string;
  readonly folder: string;
  readonly image: string;
  readonly program: BuiltProgram;
  readonly installed: InstalledPackages;
  readonly parts: readonly BasePart[];
  readonly options: Pick<ImageOptions, "version" | "epochSeconds">;
}

export async function layOutProgram(options: ProgramFolderOptions): Promise<void> {
  const { root, dist, folder, image, program, installed, parts } = options;
  const packages = await Promise.all(program.packages.map((path) => readPackage(join(root, path))));
  const bill = renderBill({ ...options.options, image, packages, installed, parts });
  await mkdir(folder);
  for (const file of [...program.files, ...program.lateFiles]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(dist, file), join(folder, file));
  }
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeFile(join(folder, "THIRD-PARTY-LICENSES.txt"), renderLicences(packages));
  // By this ending scanners know what it is.
  await writeFile(join(folder, `pallas-${image}.cdx.json`), `${JSON.stringify(bill, undefined, 1)}\n`);
}
