// The command line as a whole: every command with its options. Each loads what it needs when it is called, so that
// `--help` and completion are quick.
import { Command } from "commander";
import { suggestion } from "../crds/did-you-mean.ts";
import { addAgent } from "./commands/agent.ts";
import { addApprovals } from "./commands/approvals.ts";
import { addChat } from "./commands/chat.ts";
import { addCheck } from "./commands/check.ts";
import { addCompletion } from "./commands/completion.ts";
import type { CommandContext } from "./commands/context.ts";
import { addImport } from "./commands/import.ts";
import { addInit } from "./commands/init.ts";
import { addPolicy } from "./commands/policy.ts";
import { addSearch } from "./commands/search.ts";
import { addToken } from "./commands/token.ts";
import { addUp } from "./commands/up.ts";
import { UsageError } from "./manifests/find-files.ts";
import { readVersion } from "./version.ts";

export function createProgram(context: CommandContext): Command {
  const program = new Command("pallas")
    .description("Runs AI agents from manifests and serves them over MCP")
    .version(readVersion(), "-V, --version")
    .showHelpAfterError("(add --help for what can be given)")
    .exitOverride()
    .enablePositionalOptions()
    .addHelpText("after", `\nWithout a command: pallas up. Each command has its own --help.`);
  addUp(program, context);
  addAgent(program, context);
  addChat(program, context);
  addSearch(program, context);
  addApprovals(program, context);
  addToken(program, context);
  addCheck(program, context);
  addPolicy(program, context);
  addInit(program, context);
  addImport(program, context);
  addCompletion(program, context);
  return program;
}

/**
 * `up` is meant where no command is named, and would take a misspelt one for an argument too many.
 * @throws UsageError
 */
export function requireKnownCommand(program: Command, [first = ""]: readonly string[]): void {
  const names = program.commands.map((command) => command.name());
  if (!/^[a-z]/i.test(first) || names.includes(first) || first === "help") return;
  throw new UsageError(`there is no command "${first}"${suggestion(first, names)}; pallas --help shows them all`);
}
