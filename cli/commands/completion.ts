// `pallas completion`, which prints a script for a shell, and the hidden command that such a script asks for words.
import { Argument, type Command } from "commander";
import { examples, type CommandContext } from "./context.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export function addCompletion(program: Command, context: CommandContext): void {
  program
    .command("completion")
    .description("print a script that completes commands, options and names of agents in a shell")
    .addArgument(new Argument("<shell>", "the shell that reads the script").choices(shells))
    .addHelpText(
      "after",
      examples(
        "source <(pallas completion bash)    # in ~/.bashrc, or in ~/.zshrc with zsh",
        "pallas completion fish > ~/.config/fish/completions/pallas.fish",
      ),
    )
    .action(async (shell: Shell) => {
      const { completionScripts } = await import("../completion/scripts.ts");
      context.terminal.printStyled(completionScripts[shell]);
    });

  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { answerCompletion } = await import("../completion/answer.ts");
      for (const line of await answerCompletion(program, words, context)) context.terminal.printStyled(line);
    });
}
