// `pallas import`: its arguments and options. What it does is in cli/import.
import type { Command } from "commander";
import { examples, type CommandContext } from "./context.ts";

interface Options {
  output: string;
  force?: boolean;
  model?: string;
  cards?: string;
}

export function addImport(program: Command, context: CommandContext): void {
  program
    .command("import")
    .description("turn a fast-agent project with its agents.yaml into manifests")
    .argument("<folder>", "the project; its Python is read and never run")
    .option("-o, --output <folder>", "where the manifests go", "pallas")
    .option("--model <model>", "model of the agents that name none, in place of the project's default_model")
    .option("--cards <folder>", "a folder of agent cards in the project, beside those that are looked for")
    .option("--force", "overwrite manifests that are there")
    .addHelpText(
      "after",
      examples("pallas import .", "pallas import ../project -o manifests --model anthropic.claude-sonnet-5"),
    )
    .action(async (folder: string, { output, force = false, model, cards }: Options) => {
      const { importProject } = await import("../import/import.ts");
      context.end(await importProject({ project: folder, output, isForced: force, model, cards }, context.terminal));
    });
}
