// Which commands a server of REST may have here (DSC-8): in a cluster those that become packages and images, on somebody's machine those
// that are installed. It looks for files and runs nothing.
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

const programs = ["npx", "uvx", "docker", "uv"] as const;
export type Prereqs = Record<(typeof programs)[number], boolean>;

/** Pods run them all. */
export const clusterPrereqs: Prereqs = { npx: true, uvx: true, docker: true, uv: true };

/** @param path as in PATH */
export async function findPrograms(path: string): Promise<Prereqs> {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const isThere = async (program: string) => {
    const files = folders.map((folder) => join(folder, program));
    const found = await Promise.all(
      files.map((file) =>
        access(file, constants.X_OK).then(
          () => true,
          () => false,
        ),
      ),
    );
    return found.includes(true);
  };
  const [npx, uvx, docker, uv] = await Promise.all(programs.map(isThere));
  return { npx: npx === true, uvx: uvx === true, docker: docker === true, uv: uv === true };
}
