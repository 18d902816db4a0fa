// A root file system with this machine's Python and the SDK of MCP 2.x, for the image in which the client of the tests
// runs: the interpreter, its standard library, the packages and every shared library that any of these loads, all at the
// paths that they have here, so that Python finds its parts. Linux only.
import { chmod, cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { runCommand } from "../../../images/run-command.ts";
import { openEnvironment } from "../../python/environment.ts";
import type { Python } from "../../python/interpreter.ts";

export const interpreterPath = "/bin/python";
export const programsPath = "/programs";
const packagesPath = "/packages";

const programs = ["caller.py", "daedalus.py"];
const timeoutMs = 60_000;
/** Large, and of no use to a program that runs. */
const leftOut =
  /\/(?:test|tests|idlelib|tkinter|turtledemo|ensurepip|site-packages|dist-packages|__pycache__|config-[^/]+)$/;

const facts = z.object({ executable: z.string(), stdlib: z.string(), packages: z.string() });
const askFacts = `
import json, os, sys, sysconfig
print(json.dumps({
  "executable": os.path.realpath(sys.executable),
  "stdlib": os.path.realpath(sysconfig.get_path("stdlib")),
  "packages": sysconfig.get_path("purelib"),
}))`;

export async function layOutPython(python: Python, folder: string): Promise<void> {
  const environment = await openEnvironment(python, 2);
  const told = await runCommand(environment, ["-c", askFacts], { timeoutMs });
  const { executable, stdlib, packages } = facts.parse(JSON.parse(told));
  await copyInto(folder, executable);
  await copyInto(folder, stdlib);
  await copy(packages, join(folder, packagesPath));
  for (const library of await listLibraries([executable, ...(await listModules([stdlib, packages]))])) {
    await copyInto(folder, library);
  }
  await mkdir(join(folder, programsPath));
  for (const name of programs) {
    await cp(join(import.meta.dirname, "../../python", name), join(folder, programsPath, name));
  }
  await mkdir(join(folder, "bin"), { recursive: true });
  await runCommand("ln", ["-sf", executable, join(folder, interpreterPath)], { timeoutMs });
  await mkdir(join(folder, "etc"), { recursive: true });
  await writeFile(join(folder, "etc/nsswitch.conf"), "hosts: files dns\n");
  await mkdir(join(folder, "tmp"));
  await chmod(join(folder, "tmp"), 0o1777);
}

const copyInto = (folder: string, path: string): Promise<void> => copy(path, join(folder, path));

/** With what links point at in their place. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const filter = (path: string) => path === from || !leftOut.test(path);
  await cp(from, to, { recursive: true, dereference: true, filter });
}

async function listModules(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter(({ name }) => name.endsWith(".so")).map(({ parentPath, name }) => join(parentPath, name));
    }),
  );
  return found.flat();
}

/** Absolute paths, the loader's among them; ldd names them as they will be asked for. */
async function listLibraries(files: readonly string[]): Promise<string[]> {
  const told = await runCommand("ldd", files, { timeoutMs });
  const paths = [...told.matchAll(/^\t(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(([, path = ""]) => path);
  // glibc loads these two by name, for names of hosts.
  const loader = paths.find((path) => path.includes("/libc.so."));
  const lazily = loader === undefined ? [] : ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];
  return [...new Set([...paths, ...lazily.map((name) => join(dirname(loader ?? ""), name))])];
}
