// The programs of the machine itself that a node needs. What is missing is installed where that is possible (root, Debian
// or a system like it); elsewhere an error names it. As vitest's globalSetup it does so before the tests of the node.

import { dirname } from "node:path";

import { requireProgram } from "../../tools/find-program.ts";
import { installTools } from "../../tools/install.ts";
import { nodePackages } from "../../tools/packages.ts";

export interface MachineTools {
  readonly runc: string;
  /** The folder with the network plugins `bridge` and `host-local`. */
  readonly cniPluginsDir: string;
}

export async function requireMachineTools(report: (line: string) => void): Promise<MachineTools> {
  await installTools(nodePackages, report);
  return { runc: requireProgram("runc"), cniPluginsDir: dirname(requireProgram("host-local")) };
}

export async function setup(): Promise<void> {
  await requireMachineTools((line) => process.stderr.write(`${line}\n`));
}
