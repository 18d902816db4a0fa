// `pallas agent`: its arguments and options. What it does is in cli/agent.
import type { Command } from "commander";
import { ports } from "../../crds/names.ts";
import { collect, examples, fileOption, foldersOf, parsePort, type CommandContext } from "./context.ts";

interface Options {
  file?: string[];
  port: number;
  host: string;
  token: boolean;
}

export function addAgent(program: Command, context: CommandContext): void {
  program
    .command("agent")
    .description("run one agent in the foreground, without a registry and without the agents and tool servers it uses")
    .argument("<name>", "the agent, as its manifest names it")
    .option(...fileOption, collect)
    .option("--port <port>", "port of the agent", parsePort, ports.agentMcp)
    .option("--host <address>", "address on which it listens", "127.0.0.1")
    .option("--no-token", "let callers from other machines in without a token")
    .addHelpText("after", examples("pallas agent clerk -f examples/quickstart"))
    .action(async (name: string, { file = [], port, host, token }: Options) => {
      const { runAgent } = await import("../agent/run-agent.ts");
      context.end(await runAgent({ name, paths: foldersOf(file, context), port, host, token }, context));
    });
}
