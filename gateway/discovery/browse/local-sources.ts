// What a gateway beside `pallas up` browses where its instance names no sources: the registry of npm's own configuration and the index of
// pip's (DSC-7). Credentials in these stay in this process, and go to their own host alone.
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findNpmRegistry } from "./npmrc.ts";
import type { ConfiguredSource } from "./open-source.ts";
import { findPipIndex } from "./pip-conf.ts";

const maxFileBytes = 256 * 1024;

export interface LocalPlace {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The folder that npm would take for the project. */
  readonly folder: string;
  /** The program that runs, beside which npm's own files are. */
  readonly execPath: string;
}

export async function readLocalSources({ variables, folder, execPath }: LocalPlace): Promise<ConfiguredSource[]> {
  const home = variables["HOME"] ?? variables["USERPROFILE"] ?? "";
  const config = variables["XDG_CONFIG_HOME"] || join(home, ".config");
  const npmFile = (name: string, fallback: string) =>
    variables[`npm_config_${name}`] || variables[`NPM_CONFIG_${name.toUpperCase()}`] || fallback;
  const userFile = npmFile("userconfig", join(home, ".npmrc"));
  const [project, ...own] = await Promise.all(
    [join(folder, ".npmrc"), userFile, npmFile("globalconfig", join(dirname(dirname(execPath)), "etc", "npmrc"))].map(
      readSmallFile,
    ),
  );
  // Where the folder is the user's own, its file is the user's.
  const isOwn = join(folder, ".npmrc") === userFile;
  const pipFiles = await Promise.all(
    [
      ...(variables["PIP_CONFIG_FILE"] ? [variables["PIP_CONFIG_FILE"]] : []),
      ...(variables["VIRTUAL_ENV"] ? [join(variables["VIRTUAL_ENV"], "pip.conf")] : []),
      join(config, "pip", "pip.conf"),
      join(home, ".pip", "pip.conf"),
      join("/etc", "xdg", "pip", "pip.conf"),
      join("/etc", "pip.conf"),
    ].map(readSmallFile),
  );
  const npm = findNpmRegistry({ variables, project: isOwn ? "" : (project ?? ""), own });
  const pip = findPipIndex({ variables, files: pipFiles });
  return [
    ...(npm === undefined ? [] : [{ name: "npm", kind: "npm" as const, ...npm }]),
    ...(pip === undefined ? [] : [{ name: "pypi", kind: "pypi" as const, ...pip }]),
  ];
}

/** Empty where it is not there, cannot be read, or is no configuration by its size. */
async function readSmallFile(path: string): Promise<string> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= maxFileBytes ? await readFile(path, "utf8") : "";
  } catch {
    return "";
  }
}
