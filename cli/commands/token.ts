// `pallas token`: prints the token of the run on these manifests, for whoever calls its gateway.
import type { Command } from "commander";
import { collect, examples, fileOption, foldersOf, type CommandContext } from "./context.ts";

export function addToken(program: Command, context: CommandContext): void {
  program
    .command("token")
    .description("print the token by which the gateways of a running `pallas up` know you")
    .option(...fileOption, collect)
    .addHelpText("after", examples("PALLAS_TOKEN=$(pallas token) my-client", "pallas token -f examples/quickstart"))
    .action(async ({ file = [] }: { file?: string[] }) => {
      const { printToken } = await import("../token/print-token.ts");
      context.end(await printToken(foldersOf(file, context), context));
    });
}
