// Starts a program of a package of npm as a child process, once the package is installed.
import { delimiter } from "node:path";
import { createChildLaunch, type ChildOptions } from "../stdio/child-process.ts";
import type { Launch } from "../stdio/server-process.ts";
import type { InstalledPackage } from "./npm-package.ts";

export interface NpmLaunchOptions extends Omit<ChildOptions, "command"> {
  readonly installed: InstalledPackage;
  readonly args: readonly string[];
}

export function createNpmLaunch({ installed, args, readEnvironment, ...options }: NpmLaunchOptions): Launch {
  return async (events) => {
    const environment = await readEnvironment();
    const { program, binFolder } = await installed.open(environment);
    const { PATH = "" } = environment.variables;
    const variables = { ...environment.variables, PATH: `${binFolder}${delimiter}${PATH}` };
    const launch = createChildLaunch({
      ...options,
      command: [program, ...args],
      readEnvironment: async () => ({ ...environment, variables }),
    });
    return await launch(events);
  };
}
