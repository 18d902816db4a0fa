// The programs of the machine itself that a node needs. What lacks is installed where that is possible (root, Debian
// or a system like it); elsewhere an error names it.

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface MachineTools {
  readonly runc: string;
  /** The folder with the network plugins `bridge` and `host-local`. */
  readonly cniPluginsDir: string;
}

const installTimeoutMs = 300_000;
const cniFolders = ["/usr/lib/cni", "/opt/cni/bin"];
const systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"]; // not on every user's PATH

/** Debian package by program. */
const packages = { runc: "runc", nft: "nftables", ip: "iproute2", umount: "mount" } as const;
const pluginsPackage = "containernetworking-plugins";

/** Finds the tools, or installs what lacks and says so in one line. */
export async function requireMachineTools(report: (line: string) => void): Promise<MachineTools> {
  let found = await observeTools();
  if (found.absent.length > 0) {
    await install(found.absent, report);
    found = await observeTools();
  }
  const { runc, cniPluginsDir, absent } = found;
  if (runc === undefined || cniPluginsDir === undefined || absent.length > 0) {
    throw new Error(`expected the programs of ${absent.join(", ")} after their installation; install them by hand`);
  }
  return { runc, cniPluginsDir };
}

interface Observation {
  readonly runc: string | undefined;
  readonly cniPluginsDir: string | undefined;
  /** Names of packages. */
  readonly absent: readonly string[];
}

async function observeTools(): Promise<Observation> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...systemFolders];
  const absent: string[] = [];
  for (const [program, name] of Object.entries(packages)) {
    if ((await findProgram(folders, program)) === undefined) absent.push(name);
  }
  const bridge = await findProgram(cniFolders, "bridge");
  if (bridge === undefined) absent.push(pluginsPackage);
  return { runc: await findProgram(folders, "runc"), cniPluginsDir: bridge && join(bridge, ".."), absent };
}

async function findProgram(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

async function install(absent: readonly string[], report: (line: string) => void): Promise<void> {
  const names = absent.join(" ");
  if ((await findProgram(["/usr/bin"], "apt-get")) === undefined) {
    throw new Error(`a node needs programs of the Debian packages ${names}; install their like on this system`);
  }
  report(`installing ${names} with apt-get…`);
  const aptGet = (...args: string[]): Promise<unknown> =>
    run("apt-get", args, {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      timeout: installTimeoutMs,
      maxBuffer: 2 ** 26,
    });
  const installAll = (): Promise<unknown> => aptGet("install", "-y", "-q", "--no-install-recommends", ...absent);
  try {
    await installAll().catch(async () => {
      await aptGet("update", "-q"); // the lists may be old or missing
      await installAll();
    });
  } catch (error) {
    throw new Error(`expected apt-get to install ${names}, but it failed; install them by hand`, { cause: error });
  }
}
