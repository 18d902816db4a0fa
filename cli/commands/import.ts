// `pallas import`: its arguments and options. What it does is in cli/import.
import type { Command } from "commander";
import { examples, type CommandContext } from "./context.ts";

interface Options {
  output: string;
  force?: boolean;
}

export function addImport(program: Command, context: CommandContext): void {
  program
    .command("import")
    .description("turn a fast-agent project with its agents.yaml into manifests")
    .argument("<folder>", "the project; its Python is read and never run")
    .option("-o, --output <folder>", "where the manifests go", "pallas")
    .option("--force", "overwrite manifests that are there")
    .addHelpText("after", examples("pallas import .", "pallas import ../project -o manifests --force"))
    .action(async (folder: string, { output, force = false }: Options) => {
      const { importProject } = await import("../import/import.ts");
      context.end(await importProject({ project: folder, output, isForced: force }, context.terminal));
    });
}
