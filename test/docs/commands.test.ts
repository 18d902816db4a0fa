// Commands that pages name, against the command line's own definition and the Makefile.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProgram } from "../../cli/program.ts";
import { recordTerminal } from "../../cli/testing/manifests.ts";
import { pages, root, type Page } from "./pages.ts";

const program = createProgram({ terminal: recordTerminal("/"), process, end: () => undefined });
const targets = new Set(
  [...readFileSync(join(root, "Makefile"), "utf8").matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name),
);

/** Where one command ends and the next begins. */
const boundary = /\s*(?:\|\||&&|[|;]|<\(|\$\(|\))\s*/;

/** Single commands with `program` first: lines of shell blocks, and code in sentences. */
function commandsOf(name: string, { blocks, spans }: Pick<Page, "blocks" | "spans">): string[] {
  const shell = blocks.filter(({ language }) => /^(sh|bash|console)\b|^$/.test(language));
  const lines = shell.flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, " ").split("\n"));
  return [...lines, ...spans]
    .map((line) => line.replace(/(^|\s)#.*$/, "").replace(/^\$ /, ""))
    .flatMap((line) => line.split(boundary))
    .map((command) => command.trim().replace(/^([A-Z_]+=\S*\s+)+/, ""))
    .filter((command) => command === name || command.startsWith(`${name} `));
}

/** What is not there of `pallas …`: a command, or an option of it. */
function unknownIn(command: string): string[] {
  const words = command.split(/\s+/).slice(1);
  const options = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.split("=")[0] ?? "");
  const first = words[0] ?? "";
  const name = first === "" || first.startsWith("-") ? "up" : first;
  if (options.some((option) => ["--help", "--version"].includes(option))) return [];
  const found = program.commands.find((each) => each.name() === name);
  if (!found) return [`${command}: there is no command ${name}`];
  const inner = found.commands.find((each) => each.name() === words[1]);
  const known = new Set([...found.options, ...(inner?.options ?? [])].flatMap(({ long, short }) => [long, short]));
  return options.filter((option) => !known.has(option)).map((option) => `${command}: there is no option ${option}`);
}

const unknownTargets = (command: string): string[] =>
  command
    .split(/\s+/)
    .slice(1)
    .filter((word) => !word.includes("=") && !targets.has(word))
    .map((word) => `${command}: there is no target ${word}`);

const pallasCommands = pages.flatMap((page) => commandsOf("pallas", page));
const makeCommands = pages.flatMap((page) => commandsOf("make", page));

test("pages name commands at all", () => {
  expect(pallasCommands.length).toBeGreaterThan(30);
  expect(makeCommands.length).toBeGreaterThan(15);
});

test("every `pallas …` is a command with these options", () => {
  expect(pallasCommands.flatMap(unknownIn)).toEqual([]);
});

test("every `make …` has a target", () => {
  expect(makeCommands.flatMap(unknownTargets)).toEqual([]);
});

test("what is not there is found", () => {
  const text = "A=1 pallas chat x --nothing | pallas fly\nmake nonsense NAME=x # make up\n";
  const page = { blocks: [{ language: "sh", text }], spans: [] };
  expect(commandsOf("pallas", page).flatMap(unknownIn)).toEqual([
    "pallas chat x --nothing: there is no option --nothing",
    "pallas fly: there is no command fly",
  ]);
  expect(commandsOf("make", page).flatMap(unknownTargets)).toEqual([
    "make nonsense NAME=x: there is no target nonsense",
  ]);
});
