// The program that makes images: buildah where it is there, else a Docker that answers, else buildah installed from
// Debian where we may. Buildah works in a store of its own, which is gone afterwards.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { canInstall, installPackages } from "./apt.ts";
import type { ImageOptions } from "./options.ts";
import { runCommand } from "./run-command.ts";

const buildTimeoutMs = 600_000;
const saveTimeoutMs = 120_000;
const askTimeoutMs = 10_000;

export interface ImageBuild {
  readonly containerfile: string;
  readonly context: string;
  readonly target: string;
  readonly base: string;
  readonly name: string;
  readonly archive: string;
  readonly options: Pick<ImageOptions, "version" | "revision" | "source" | "epochSeconds">;
}

export interface Engine extends AsyncDisposable {
  /** Leaves a docker-archive. */
  build(image: ImageBuild): Promise<void>;
}

export async function openEngine(work: string, say: (line: string) => void): Promise<Engine> {
  if (await answers("buildah", ["--version"])) return openBuildah(work);
  if (await answers("docker", ["info"])) return docker;
  if (await canInstall()) {
    say("neither buildah nor a running Docker is there: apt-get install buildah");
    await installPackages(["buildah"], say);
    return openBuildah(work);
  }
  throw new Error("expected buildah or a running Docker, found neither: install buildah and try again");
}

const answers = (file: string, args: readonly string[]): Promise<boolean> =>
  runCommand(file, args, { timeoutMs: askTimeoutMs }).then(
    () => true,
    () => false,
  );

async function openBuildah(work: string): Promise<Engine> {
  const [root, runroot] = [join(work, "store"), join(work, "run")];
  await Promise.all([root, runroot].map((folder) => mkdir(folder, { recursive: true })));
  // vfs needs nothing of the kernel; nothing is run in the images, so that what it copies is little.
  const store = ["--root", root, "--runroot", runroot, "--storage-driver", "vfs"];
  const buildah = (args: readonly string[], timeoutMs: number) =>
    runCommand("buildah", [...store, ...args], { timeoutMs });
  return {
    async build({ name, archive, options, ...image }) {
      const reproducible = [
        "--timestamp",
        String(options.epochSeconds),
        "--identity-label=false",
        "--isolation",
        "chroot",
      ];
      await buildah(
        ["build", "--layers", ...reproducible, ...renderArguments({ ...image, options }), "--tag", name, image.context],
        buildTimeoutMs,
      );
      await buildah(["push", "--quiet", name, `docker-archive:${archive}:${name}`], saveTimeoutMs);
    },
    // What belongs to other users in a rootless store only buildah itself can remove.
    async [Symbol.asyncDispose]() {
      await buildah(["rmi", "--all", "--force"], saveTimeoutMs);
    },
  };
}

const docker: Engine = {
  async build({ name, archive, options, ...image }) {
    const reproducible = ["--build-arg", `SOURCE_DATE_EPOCH=${options.epochSeconds}`];
    await runCommand(
      "docker",
      ["build", ...reproducible, ...renderArguments({ ...image, options }), "--tag", name, image.context],
      { timeoutMs: buildTimeoutMs },
    );
    await runCommand("docker", ["save", "--output", archive, name], { timeoutMs: saveTimeoutMs });
  },
  async [Symbol.asyncDispose]() {},
};

type Target = Pick<ImageBuild, "containerfile" | "target" | "base" | "options">;

/** What both engines take. */
export function renderArguments({ containerfile, target, base, options }: Target): string[] {
  const labels = {
    version: options.version,
    revision: options.revision,
    created: new Date(options.epochSeconds * 1_000).toISOString(),
    ...(options.source === undefined ? {} : { source: options.source }),
  };
  return [
    ...["--file", containerfile, "--target", target, "--build-arg", `BASE=${base}`],
    ...Object.entries(labels).flatMap(([key, value]) => ["--label", `org.opencontainers.image.${key}=${value}`]),
  ];
}
