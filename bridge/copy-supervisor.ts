// Lays out what the container of a server's own image is started by: a shell that needs nothing of that image, and the supervisor.
import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

/** `{folder}/busybox` and `{folder}/supervisor.sh`, which the container mounts. */
export async function copySupervisor(from: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, mode] of [
    ["busybox", 0o755],
    ["supervisor.sh", 0o644],
  ] as const) {
    await copyFile(join(from, name), join(folder, name));
    await chmod(join(folder, name), mode);
  }
}
