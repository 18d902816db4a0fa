// Packages of others from npm: the published servers, and the clients that call an agent. Installed as the package-lock.json
// of servers/ or clients/ has them, checked by its digests, into the user's cache folder, and never with a package's own
// install script.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { cacheFolder } from "../cache-folder.ts";
import { installOnce } from "../cached-installation.ts";

const run = promisify(execFile);

export type NpmSet = "servers" | "clients" | "bridges";

const files = ["package.json", "package-lock.json"];
const installTimeoutMs = 900_000;
const packageSchema = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });

/** The folder with their node_modules. */
export async function openNpmPackages(set: NpmSet): Promise<string> {
  const pinned = join(import.meta.dirname, set);
  const digest = createHash("sha256").update(process.platform).update(process.arch);
  for (const file of files) digest.update(await readFile(join(pinned, file)));
  const folder = cacheFolder([`npm-${set}`, digest.digest("hex").slice(0, 16)]);
  await installOnce({
    folder,
    witness: "node_modules",
    title: `the npm packages of test/compat/${set}`,
    timeoutMs: installTimeoutMs,
    report: (line) => void process.stderr.write(`${line}\n`),
    async install(partial) {
      for (const file of files) await copyFile(join(pinned, file), join(partial, file));
      const options = [
        "--ignore-scripts",
        "--omit=dev",
        "--omit=optional",
        "--prefer-offline",
        "--no-audit",
        "--no-fund",
      ];
      await run("npm", ["ci", ...options, "--loglevel=error"], { cwd: partial, timeout: installTimeoutMs });
    },
  });
  return folder;
}

/** The script that a package's first program is. */
export async function findScript(folder: string, name: string): Promise<string> {
  const home = join(folder, "node_modules", name);
  const { bin } = packageSchema.parse(JSON.parse(await readFile(join(home, "package.json"), "utf8")));
  const script = typeof bin === "string" ? bin : Object.values(bin)[0];
  if (script === undefined) throw new Error(`expected ${name} to have a program, found none; see its package.json`);
  return join(home, script);
}
