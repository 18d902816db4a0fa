// `pallas chat`: its arguments and options. What it does is in cli/chat.
import { Option, type Command } from "commander";
import { ports } from "../../crds/names.ts";
import { collect, examples, type CommandContext } from "./context.ts";

interface Options {
  registry: string;
  gateway?: string;
  message?: string;
  image?: string[];
  session?: string;
  tokenHost?: string[];
  json?: boolean;
}

export function addChat(program: Command, context: CommandContext): void {
  program
    .command("chat")
    .description("talk to an agent through the registry")
    .argument("[name]", "the agent; default: the only one, or one picked from a list")
    .option("--registry <url>", "where the agents are listed", `http://localhost:${ports.registry}`)
    .addOption(
      new Option("--gateway <url>", "reach the agents through this gateway, with $PALLAS_TOKEN").conflicts("registry"),
    )
    .option("-m, --message <text>", "send this, show the answer and end")
    .option("--image <file>", "send this image along with the first message; repeatable", collect)
    .option("--session <id>", "continue the conversation with this id")
    .option("--token-host <name>", "send $PALLAS_TOKEN to agents on this host, too; repeatable", collect)
    .option("--json", "one JSON object per answer, for scripts")
    .addHelpText(
      "after",
      `${examples(
        "pallas chat clerk",
        'pallas chat clerk -m "What time is it?"',
        "git diff | pallas chat reviewer",
        "PALLAS_TOKEN=$(pallas token) pallas chat clerk --gateway http://localhost:24300",
        "pallas chat painter --image sketch.png -m 'What is this?' --json | jq -r .text",
      )}\n\nAn agent that wants a token gets the one in $PALLAS_TOKEN, where it is on the registry's host or one named by --token-host.`,
    )
    .action(async (name: string | undefined, { image = [], tokenHost = [], json = false, ...others }: Options) => {
      const { chat } = await import("../chat/chat.ts");
      context.end(await chat({ ...others, name, images: image, tokenHosts: tokenHost, json }, context));
    });
}
