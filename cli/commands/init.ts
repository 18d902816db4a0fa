// `pallas init`: its argument. What it does is in cli/init.
import type { Command } from "commander";
import { examples, type CommandContext } from "./context.ts";

export function addInit(program: Command, context: CommandContext): void {
  program
    .command("init")
    .description("create a folder of manifests: an instance, an agent, and where its key goes")
    .argument("[folder]", "an empty folder or a new one", ".")
    .addHelpText("after", examples("pallas init", "pallas init agents && pallas up -f agents"))
    .action(async (folder: string) => {
      const { init } = await import("../init/init.ts");
      context.end(await init(folder, context.terminal));
    });
}
