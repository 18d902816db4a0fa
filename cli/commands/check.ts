// `pallas check`: its options. What it does is in cli/check.ts.
import type { Command } from "commander";
import { collect, examples, fileOption, foldersOf, type CommandContext } from "./context.ts";

interface Options {
  file?: string[];
  json?: boolean;
}

export function addCheck(program: Command, context: CommandContext): void {
  program
    .command("check")
    .description("say what the API server and the operator would say of manifests, without either")
    .option(...fileOption, collect)
    .option("--json", "one JSON object with all that was found, for scripts")
    .addHelpText("after", examples("pallas check -f manifests", "pallas check --json | jq '.diagnostics[].message'"))
    .action(async ({ file = [], json = false }: Options) => {
      const { check } = await import("../check.ts");
      context.end(await check({ paths: foldersOf(file, context), json, env: context.process.env }, context.terminal));
    });
}
