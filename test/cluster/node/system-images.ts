// The images that the node itself needs, made from its own programs.

import { join } from "node:path";

import type { ClusterAccess } from "./cluster-access.ts";
import { pauseImage } from "./containerd-config.ts";
import { dnsImage } from "./dns-manifest.ts";
import { writeProgramArchive } from "./image-archive.ts";
import type { NodePaths } from "./node-paths.ts";

const images = [
  { reference: pauseImage, name: "pause" },
  { reference: dnsImage, name: "coredns" },
] as const;

export async function importSystemImages(access: ClusterAccess, paths: NodePaths, programsDir: string): Promise<void> {
  await Promise.all(
    images.map(async ({ reference, name }) => {
      const archivePath = join(paths.imagesDir, `${name}.tar`);
      await writeProgramArchive({ reference, archivePath, name, program: join(programsDir, name) });
      await access.importImage(archivePath);
    }),
  );
}
