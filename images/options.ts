// What a build of the images is told, from arguments, environment and git, and parsed once. Everything that could differ
// between two builds of one commit is settled here.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { runCommand } from "./run-command.ts";

export interface ImageOptions {
  /** `local`, or a reference that replaces the Containerfile's; undefined: the Containerfile's. */
  readonly base: string | undefined;
  readonly prefix: string;
  readonly tag: string;
  readonly version: string;
  readonly revision: string;
  /** Where the source is published, if it is. */
  readonly source: string | undefined;
  /** Seconds since 1970: of everything in our layers, and when the image says it was created. */
  readonly epochSeconds: number;
  readonly out: string;
}

const environmentSchema = z.object({
  IMAGE_PREFIX: z
    .string()
    .regex(/^[a-z0-9]+(?:[./:_-]+[a-z0-9]+)*$/, "expected a repository prefix such as registry.example/pallas")
    .default("pallas"),
  IMAGE_TAG: z
    .string()
    .regex(/^\w[\w.-]{0,127}$/, "expected a tag such as 0.1.0")
    .optional(),
  IMAGE_SOURCE: z.url().optional(),
  SOURCE_DATE_EPOCH: z.coerce.number().int().nonnegative().optional(),
});

const manifestSchema = z.object({ version: z.string() });

export interface OptionSources {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
}

export async function parseOptions({ argv, env, root }: OptionSources): Promise<ImageOptions> {
  const { values } = parseArgs({ args: [...argv], options: { base: { type: "string" }, out: { type: "string" } } });
  const parsed = environmentSchema.safeParse(env);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  const { IMAGE_PREFIX: prefix, IMAGE_TAG: tag, IMAGE_SOURCE: source, SOURCE_DATE_EPOCH: epoch } = parsed.data;
  const { version } = manifestSchema.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  return {
    base: values.base,
    prefix,
    tag: tag ?? version,
    version,
    revision: await askGit(root, ["rev-parse", "HEAD"]),
    source,
    epochSeconds: epoch ?? Number(await askGit(root, ["log", "-1", "--format=%ct"])),
    out: values.out ?? join(root, "images/out"),
  };
}

async function askGit(root: string, args: readonly string[]): Promise<string> {
  return (await runCommand("git", ["-C", root, ...args], { timeoutMs: 10_000 })).trim();
}
