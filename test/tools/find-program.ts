// Where a program of this machine is: on PATH, or where Debian keeps those that are not on every user's.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const moreFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/lib/cni", "/opt/cni/bin"];

export function findProgram(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const onPath = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...onPath, ...moreFolders].map((folder) => join(folder, name)).find(isProgram);
}

export function requireProgram(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`expected ${name} on this machine, found none; run \`make tools\``);
  return path;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // absent, not executable or not reachable: to the caller all the same
  }
}
