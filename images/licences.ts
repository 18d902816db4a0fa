// The licence texts of bundled packages in one file, each text once. A package without a licence file is named with what
// its manifest says, never left out.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string().default("unknown") });

export interface BundledPackage extends z.infer<typeof manifestSchema> {
  /** Of its licence and notice files, one after the other; empty where it has none. */
  readonly text: string;
}

const licenceFile = /^(?:licen[cs]es?|copying|notice)\b/i;

export async function readPackage(folder: string): Promise<BundledPackage> {
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  const files = (await readdir(folder)).filter((name) => licenceFile.test(name)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return { ...manifest, text: texts.map((text) => text.replaceAll("\r\n", "\n").trim()).join("\n\n") };
}

export function renderLicences(packages: readonly BundledPackage[]): string {
  const holders = new Map<string, Set<string>>();
  for (const { name, version, license, text } of packages) {
    const words = text === "" ? `The package has no licence file; its package.json says: ${license}` : text;
    holders.set(words, (holders.get(words) ?? new Set()).add(`${name} ${version} (${license})`));
  }
  const line = "=".repeat(80);
  return [...holders].map(([text, names]) => `${line}\n${[...names].join("\n")}\n${line}\n\n${text}\n`).join("\n");
}
