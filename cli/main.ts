// The command line: which command, with which options, and how the program ends (0 well, 1 faults, 2 misuse).
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { ports } from "../crds/names.ts";
import { check } from "./check.ts";
import { UsageError } from "./manifests/find-files.ts";
import { createTerminal } from "./terminal.ts";
import { up } from "./up/up.ts";

const terminal = createTerminal(process, process.cwd(), process.env);

/** The folder that commands mean when nothing is named. */
const folders = (named: readonly string[]): [string, ...string[]] => {
  const [first = process.env["PALLAS_AGENTS_CONFIG"] || ".", ...others] = named;
  return [first, ...others];
};

const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError("expected a port from 1 to 65535.");
}

interface UpOptions {
  file?: string[];
  port: number;
  host: string;
  only?: string[];
}

const program = new Command("pallas")
  .description("AI agents that are served over MCP, from manifests")
  .showHelpAfterError()
  .exitOverride()
  .enablePositionalOptions();

program
  .command("up", { isDefault: true })
  .description("run manifests on this machine, without a cluster")
  .option("-f, --file <folder|file>", "manifests; default $PALLAS_AGENTS_CONFIG or the working directory", collect)
  .option(
    "--port <port>",
    "port of the registry; agents without spec.port get the ones after it",
    parsePort,
    ports.registry,
  )
  .option("--host <address>", "address on which everything listens", "127.0.0.1")
  .option("--only <agent>", "run this agent and what it depends on; repeatable", collect)
  .action(async ({ file = [], port, host, only = [] }: UpOptions) => {
    process.exitCode = await up({ paths: folders(file), port, host, only }, { terminal, process });
  });

program
  .command("check")
  .description("say what the API server and the operator would say of manifests, without either")
  .option("-f, --file <folder|file>", "manifests; default $PALLAS_AGENTS_CONFIG or the working directory", collect)
  .action(async ({ file = [] }: { file?: string[] }) => {
    process.exitCode = await check(folders(file), terminal);
  });

try {
  await program.parseAsync();
} catch (error) {
  // commander has printed its own message already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof UsageError) {
    terminal.complain(`pallas: ${error.message}`);
    process.exitCode = 2;
  } else throw error;
}
