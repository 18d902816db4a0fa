// What can be typed in a chat beside messages: lines that begin with a slash.
import { suggestion } from "../../crds/did-you-mean.ts";

export const slashCommands = {
  "/image": "PATH  send this image along with the next message",
  "/history": "show the last messages of this conversation",
  "/new": "begin a new conversation",
  "/help": "show these commands",
  "/quit": "end; Ctrl-D does the same, and Ctrl-C twice",
} as const;

export type SlashCommand = keyof typeof slashCommands;

const isSlashCommand = (name: string): name is SlashCommand => Object.hasOwn(slashCommands, name);

export type Typed =
  | { kind: "message"; text: string }
  | { kind: "command"; name: SlashCommand; argument: string }
  | { kind: "unknown"; message: string };

export function parseTyped(text: string): Typed {
  const [, name = "", argument = ""] = /^(\/\S*)\s*([^]*)$/.exec(text) ?? [];
  if (name === "") return { kind: "message", text: text.trim() };
  if (isSlashCommand(name)) return { kind: "command", name, argument: argument.trim() };
  const near = suggestion(name, Object.keys(slashCommands));
  return { kind: "unknown", message: `there is no command ${name}${near}; a message may begin with it after a space` };
}

/** For the tabulator: the commands that begin as the line does. */
export function completeTyped(line: string): [string[], string] {
  const fitting = Object.keys(slashCommands).filter((name) => line !== "" && name.startsWith(line));
  return [fitting.map((name) => (name === "/image" ? `${name} ` : name)), line];
}

export const slashHelp = (): string[] =>
  Object.entries(slashCommands).map(([name, what]) => `  ${name.padEnd(10)}${what}`);
