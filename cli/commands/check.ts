// `pallas check`: its options. What it does is in cli/check.ts.
import type { Command } from "commander";
import { collect, examples, foldersOf, manifestsHelp, type CommandContext } from "./context.ts";

interface Options {
  file?: string[];
  json?: boolean;
  local?: boolean;
}

export function addCheck(program: Command, context: CommandContext): void {
  program
    .command("check")
    .description("check manifests as the API server and the operator would, without a cluster")
    .option("-f, --file <folder|file|->", `${manifestsHelp}; - is standard input`, collect)
    .option("--local", "check as pallas up does, with .env and the folder's local/")
    .option("--json", "one JSON object with all that was found, for scripts")
    .addHelpText("after", examples("pallas check -f manifests", "kustomize build | pallas check -f -"))
    .action(async ({ file = [], json = false, local: isLocal = false }: Options) => {
      const { check } = await import("../check.ts");
      const options = { paths: foldersOf(file, context), isLocal, json, env: context.process.env };
      context.end(await check(options, context.terminal));
    });
}
