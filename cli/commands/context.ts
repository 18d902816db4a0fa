// What every command is given, and the arguments that several of them take alike.
import { InvalidArgumentError } from "commander";
import type { Terminal } from "../terminal.ts";

export interface CommandContext {
  terminal: Terminal;
  process: NodeJS.Process;
  /** How the program ends: 0 well, 1 problems, 2 misuse, 130 interrupted. */
  end(exitCode: number): void;
}

/** The folder that commands mean when nothing is named. */
export const foldersOf = (named: readonly string[], { process }: CommandContext): [string, ...string[]] => {
  const [first = process.env["PALLAS_AGENTS_CONFIG"] || ".", ...others] = named;
  return [first, ...others];
};

export const manifestsHelp = "manifests; default $PALLAS_AGENTS_CONFIG or the working directory; repeatable";
export const fileOption = ["-f, --file <folder|file>", manifestsHelp] as const;

/** For options that may be given more than once. */
export const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError("expected a port from 1 to 65535.");
}

/** Shown below a command's options. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
