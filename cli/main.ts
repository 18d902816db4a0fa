// The program `pallas`: runs the command that was named, and says by its exit code how it went (0 well, 1 problems,
// 2 misuse, 130 interrupted).
import { constants } from "node:os";
import { CommanderError } from "commander";
import { UsageError } from "./manifests/find-files.ts";
import { createProgram, requireKnownCommand } from "./program.ts";
import { createTerminal } from "./terminal.ts";

// Whoever read our output has gone, as `head` does: there is nobody left to tell.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (Reflect.get(error, "code") !== "EPIPE") throw error;
    process.exit(128 + constants.signals.SIGPIPE);
  });
}

const terminal = createTerminal(process, process.cwd(), process.env);
const end = (exitCode: number): void => {
  process.exitCode = exitCode;
};

try {
  const program = createProgram({ terminal, process, end });
  requireKnownCommand(program, process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  // commander has printed its own message already.
  if (error instanceof CommanderError) {
    end(error.exitCode === 0 ? 0 : 2);
  } else if (error instanceof UsageError) {
    terminal.complain(`pallas: ${error.message}`);
    end(2);
  } else {
    throw error;
  }
}
