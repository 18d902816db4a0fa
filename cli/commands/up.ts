// `pallas up`: its options. What it does is in cli/up.
import type { Command } from "commander";
import { ports } from "../../crds/names.ts";
import { collect, examples, fileOption, foldersOf, parsePort, type CommandContext } from "./context.ts";

interface Options {
  file?: string[];
  port: number;
  host: string;
  token: boolean;
  trust?: boolean;
  only?: string[];
  logs?: boolean;
  json?: boolean;
}

export function addUp(program: Command, context: CommandContext): void {
  program
    .command("up", { isDefault: true })
    .description("run manifests on this machine, without a cluster")
    .option(...fileOption, collect)
    .option(
      "--port <port>",
      "port of the registry; agents without spec.port get those after it",
      parsePort,
      ports.registry,
    )
    .option("--host <address>", "address on which everything listens", "127.0.0.1")
    .option("--no-token", "let callers from other machines in without a token")
    .option("--only <agent>", "run this agent and what it depends on; repeatable", collect)
    .option("--trust", "let these manifests start what their tool servers run; remembered until that changes")
    .option("--logs", "show what every process logs, not warnings alone")
    .option("--json", "one JSON object per change of state, for scripts")
    .addHelpText(
      "after",
      examples(
        "pallas up -f examples/quickstart",
        "pallas up --only concierge --logs",
        `pallas up --json | jq -c 'select(.phase == "failing")'`,
      ),
    )
    .action(async ({ file = [], only = [], trust = false, logs = false, json = false, ...rest }: Options) => {
      const { up } = await import("../up/up.ts");
      context.end(await up({ paths: foldersOf(file, context), only, trust, logs, json, ...rest }, context));
    });
}
