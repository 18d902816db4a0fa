// How a published server is started on this machine: by this Node, by the Python environment of its package, or as a
// program that Go has built. It gets a home of its own, keys that no service knows and a proxy that nobody serves, so that
// it neither reads what is the user's nor reaches anything outside.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requirePrograms } from "../cluster/programs.ts";
import { openEnvironment } from "../python/environment.ts";
import type { Python } from "../python/interpreter.ts";
import type { Command } from "./bridge.ts";
import { findScript, openNpmPackages } from "./npm-packages.ts";
import type { PublishedServer } from "./published-servers.ts";

export interface Installed {
  render(server: PublishedServer): Promise<Command>;
  /** With the folder's name in place of `{folder}`. */
  fill<Value>(value: Value): Value;
  stop(): Promise<void>;
}

const proxy = "http://127.0.0.1:9";
/** By name: the scripts in an environment's folder name a folder that is no more. */
const runScript = `
import sys
from importlib.metadata import entry_points
name = sys.argv[1]
sys.argv = [name, *sys.argv[2:]]
(script,) = entry_points(group="console_scripts", name=name)
sys.exit(script.load()())
`;

/** Installs what is not there yet; minutes, once. */
export async function installServers(python: Python): Promise<Installed> {
  const [npmFolder, interpreter, goPrograms, folder] = await Promise.all([
    openNpmPackages("servers"),
    openEnvironment(python, "servers"),
    requirePrograms("go-sdk"),
    mkdtemp(join(tmpdir(), "pallas-compat-")),
  ]);

  const fill = <Value>(value: Value): Value => {
    if (value === undefined) return value;
    return JSON.parse(JSON.stringify(value).replaceAll("{folder}", folder));
  };
  return {
    fill,
    async render({ from, program, args = [], env = {} }) {
      const more = fill(args);
      const environment = {
        PATH: process.env["PATH"],
        HOME: folder,
        HTTP_PROXY: proxy,
        HTTPS_PROXY: proxy,
        NODE_USE_ENV_PROXY: "1",
        DO_NOT_TRACK: "1",
        ...fill(env),
      };
      const command = { env: environment, cwd: folder };
      switch (from) {
        case "npm":
          return { ...command, file: process.execPath, args: [await findScript(npmFolder, program), ...more] };
        case "pypi":
          return { ...command, file: interpreter, args: ["-c", runScript, program, ...more] };
        case "go":
          return { ...command, file: join(goPrograms.dir, program), args: more };
      }
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
