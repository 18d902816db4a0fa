import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { limitVariables } from "../plan/limit-variables.ts";
import { createProgram } from "./program.ts";
import { recordTerminal } from "./testing/manifests.ts";

const text = readFileSync(join(import.meta.dirname, "../docs/cli.md"), "utf8");
const program = createProgram({ terminal: recordTerminal("/"), process, end: () => undefined });
const help = program.createHelp();

/** First cells of the tables below a heading, without their quotes. */
function namesUnder(heading: string): string[] {
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const rows = section.split(/\n## /)[0]?.matchAll(/^\| (`.*?`(?:, `.*?`)*) \|/gm) ?? [];
  return [...rows].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(.*?)`/g)].map(([, name = ""]) => name.replaceAll("\\|", "|")),
  );
}

const flagsOf = (command: Command): string[] => [
  ...command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  ),
  ...help
    .visibleOptions(command)
    .map(({ flags }) => flags)
    .filter((flags) => !flags.includes("--help")),
  ...help.visibleCommands(command).flatMap((inner) => (inner.name() === "help" ? [] : flagsOf(inner))),
];

const commands = help.visibleCommands(program).filter((command) => command.name() !== "help");

test("docs/cli.md has a section for every command, and no other", () => {
  const documented = [...text.matchAll(/^## pallas (\S+)$/gm)].map(([, name = ""]) => name);
  expect(documented.toSorted()).toEqual(commands.map((command) => command.name()).toSorted());
});

test.each(commands.map((command): [string, Command] => [command.name(), command]))(
  "docs/cli.md has every argument and option of %s, and no other",
  (name, command) => {
    expect(namesUnder(`pallas ${name}`).toSorted()).toEqual(flagsOf(command).toSorted());
  },
);

test("docs/cli.md has every variable that the command line reads", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    // What is handed on to processes is no matter of users, and what `import` finds in a project neither.
    (file) => file.endsWith(".ts") && !/\.test\.ts$|^testing|^import|programs\.ts$/.test(file),
  );
  const read = files.flatMap((file) => {
    const source = readFileSync(join(import.meta.dirname, file), "utf8");
    const found = source.matchAll(/env\["([A-Z_]+)"\]|\b(NO_COLOR|FORCE_COLOR):/g);
    return [...found].map(([, name, other]) => name ?? other ?? "");
  });
  const levels = ["PALLAS_LOG_LEVEL", "PALLAS_ROOT_LOG_LEVEL"];
  const limits = Object.keys(limitVariables);
  expect(namesUnder("Environment variables").toSorted()).toEqual(
    [...new Set([...read, ...levels, ...limits])].toSorted(),
  );
});

test("every command shows examples in its help, and says for which exit codes it ends in the documentation", () => {
  for (const command of commands) {
    let shown = "";
    command.configureOutput({ writeOut: (part) => (shown += part) }).outputHelp();
    expect(shown).toMatch(/\nExamples:\n {2}\S/);
  }
  expect([...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)).toEqual(["0", "1", "2", "130"]);
});
