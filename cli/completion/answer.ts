// The words that may stand where the cursor is, from commander's own definition of the command line, and the names of
// agents from the manifests. No answer means: a file, or something that only the person knows.
import type { Command, Option } from "commander";
import { foldersOf, type CommandContext } from "../commands/context.ts";
import { readAgentNames } from "./agent-names.ts";

/** @param words those after the program's name, the one at the cursor last */
export async function answerCompletion(
  program: Command,
  words: readonly string[],
  context: CommandContext,
): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const place = findPlace(program, words.slice(0, -1));
  const candidates = await wordsAt(place, current, context);
  return candidates
    .filter(({ word }) => word.startsWith(current))
    .map(({ word, description }) => (description === "" ? word : `${word}\t${description}`));
}

interface Place {
  command: Command;
  program: Command;
  /** The option whose value is to come. */
  option: Option | undefined;
  /** Arguments before the cursor. */
  given: number;
  files: string[];
}

function findPlace(program: Command, before: readonly string[]): Place {
  const place: Place = { command: program, program, option: undefined, given: 0, files: [] };
  for (const word of before) {
    if (place.option !== undefined) {
      if (place.option.attributeName() === "file") place.files.push(word);
      place.option = undefined;
    } else if (word.startsWith("-")) {
      place.option = optionsAt(place).find(
        (option) => (option.long === word || option.short === word) && (option.required || option.optional),
      );
    } else {
      const next = place.command.commands.find((command) => command.name() === word);
      if (next === undefined) place.given += 1;
      else place.command = next;
    }
  }
  return place;
}

/** Before any command those of `up`, which is meant then. */
const optionsAt = ({ command, program }: Place): readonly Option[] =>
  command === program
    ? [...visibleOptions(program), ...program.commands.filter((each) => each.name() === "up").flatMap(visibleOptions)]
    : visibleOptions(command);

const visibleOptions = (command: Command): Option[] => command.createHelp().visibleOptions(command);

interface Candidate {
  word: string;
  description: string;
}

const plain = (names: readonly string[]): Candidate[] => names.map((word) => ({ word, description: "" }));

async function wordsAt(place: Place, current: string, context: CommandContext): Promise<Candidate[]> {
  const { command, program, option, given, files } = place;
  const agents = async () => plain(await readAgentNames(foldersOf(files, context)));
  if (option !== undefined) return option.attributeName() === "only" ? agents() : plain(option.argChoices ?? []);
  if (current.startsWith("-")) {
    return optionsAt(place).map(({ long, short, description }) => ({ word: long ?? short ?? "", description }));
  }
  const argument = command.registeredArguments[given];
  if (argument !== undefined) return argument.name() === "name" ? agents() : plain(argument.argChoices ?? []);
  if (command !== program || given > 0) return [];
  const commands = program.createHelp().visibleCommands(program);
  return commands.map((each) => ({ word: each.name(), description: each.description() }));
}
